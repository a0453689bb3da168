internal import Migrator

/// What the reader of an error can do about it.
enum Remedy {
  /// A sentence or two; nil when the message says all.
  static func text(for condition: DatabaseError.Condition) -> String? {
    switch condition {
    case .notADatabase:
      "The file may be encrypted, which needs SQLCipher and its key, or be no database; it was not changed."
    case .wrongKey:
      """
      Check the key; the file may also come from an older version of SQLCipher or have other cipher settings, be \
      damaged, or be truncated. It was not changed.
      """
    case .busy:
      "Another connection or program holds a lock on the database: let it finish, or wait longer for it."
    case .stale:
      "Another connection has changed the database in the meantime: roll back and begin again."
    case .readOnly:
      "The file, its folder or the connection can only be read: check the permissions of both, and how it was opened."
    case .full:
      """
      The statement was not carried out and its transaction must be rolled back, which restores the database. Free \
      space on the disk of the database and of its temporary files, or raise the quota or size limit.
      """
    case .inputOutput:
      "Reading or writing the file failed: check the disk and the system's log."
    case .corrupt:
      "The file is damaged: restore a backup, or save what can be read with `.recover` of the sqlite3 shell."
    case .fileReplaced:
      "The file was moved, replaced or deleted while it was open: close the connection and open it anew."
    case .permissionDenied:
      "Check the owner and the permissions of the file and of its folder."
    default:
      nil
    }
  }
}
