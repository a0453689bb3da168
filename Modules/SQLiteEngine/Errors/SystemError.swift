internal import CSQLite
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What the operating system's error number adds to an engine's result code.
enum SystemError {
  /// The condition that the number stands for; nil when it adds nothing to the code.
  ///
  /// SQLite calls a disk full for ENOSPC alone; a quota and a limit on the size of files are the same to its user.
  static func condition(_ number: Int32, primaryCode: Int32) -> DatabaseError.Condition? {
    switch (primaryCode, number) {
    case (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT), (SQLITE_IOERR, EFBIG): .full
    case (SQLITE_CANTOPEN, EACCES), (SQLITE_CANTOPEN, EPERM): .permissionDenied
    case (SQLITE_CANTOPEN, EROFS): .readOnly
    case (SQLITE_CANTOPEN, EISDIR): .isDirectory
    case (SQLITE_CANTOPEN, ENOSPC), (SQLITE_CANTOPEN, EDQUOT): .full
    default: nil
    }
  }

  /// The system's own words for a number.
  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
