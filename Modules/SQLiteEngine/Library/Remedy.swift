internal import Migrator

enum Remedy {
  /// Returns one or two sentences of advice for a condition, of an encrypted file or not; nil when the message is
  /// sufficient.
  static func text(for condition: DatabaseError.Condition, isEncrypted: Bool = false) -> String? {
    switch condition {
    case .notADatabase:
      "The file may be encrypted, which requires SQLCipher and its key, or it is not a database. It was not changed."
    case .wrongKey:
      """
      Check the key. The file may also come from an older version of SQLCipher, have other cipher settings, be \
      damaged, or be truncated. It was not changed.
      """
    case .busy:
      "Another connection or program holds a lock on the database: wait for it to finish, or use a longer timeout."
    case .stale:
      "Another connection has changed the database in the meantime: roll back and start the transaction again."
    case .readOnly:
      "The file, its folder or the connection is read-only: check the permissions and the options used to open it."
    case .full:
      """
      The statement failed and its transaction must be rolled back, which restores the database. Free up \
      space on the disk of the database and of its temporary files, or raise the quota or size limit.
      """
    case .inputOutput:
      "Reading or writing the file failed: check the disk and the system's log."
    case .corrupt where isEncrypted:
      "The file is damaged: restore a backup, or save what can still be read with a program that has the key."
    case .corrupt:
      "The file is damaged: restore a backup, or save what can be read with `.recover` of the sqlite3 shell."
    case .fileReplaced:
      "The file was moved, replaced or deleted while it was open: close the connection and open it again."
    case .permissionDenied:
      "Check the owner and the permissions of the file and of its folder."
    default:
      nil
    }
  }
}
