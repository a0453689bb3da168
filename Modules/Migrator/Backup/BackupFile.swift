#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A file that gets its final name once it is complete and synced to disk.
///
/// Until then it has a temporary name, so a process that dies leaves nothing that looks like a backup.
struct BackupFile {
  static let unfinishedSuffix = ".unfinished"

  private let path: String
  private let engine: String
  private let descriptor: Int32
  private var isOpen = true

  var unfinishedPath: String { path + Self.unfinishedSuffix }
  private(set) var sizeInBytes: Int64 = 0

  /// Creates the file, which only its owner can read and write.
  ///
  /// The file then gets the owner, the group and the permissions of the file `model`, as far as this process is allowed
  /// to set them.
  init(_ path: String, engine: String, like model: String? = nil) throws(DatabaseError) {
    self.path = path
    self.engine = engine
    var status = stat()
    guard lstat(path, &status) != 0 else {
      Self.removeSecondName(of: status, path)
      throw DatabaseError(
        .misuse, engine: engine, message: "\(path) already exists", remedy: "Choose another path, or move it away.")
    }
    // Remove the remains of a dead process; a process that is still running fails when it finishes.
    Self.removeUnfinished(path)
    descriptor = open(path + Self.unfinishedSuffix, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno, "\(path) cannot be created", engine) }
    if let model { FileOwner.setWithPermissions(of: descriptor, likeFileAt: model) }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = write(descriptor, start, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("cannot be written") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    sizeInBytes += Int64(bytes.count)
  }

  /// Finishes writing.
  ///
  /// Afterwards the content survives a power loss; if this method throws an error, the caller must discard the file.
  mutating func end() throws(DatabaseError) {
    try check(DiskSync.file(descriptor))
    isOpen = false
    close(descriptor)
  }

  /// Gives the finished file its final name, which then survives a power loss; if this method throws an error, the
  /// caller must discard the file.
  func finish() throws(DatabaseError) {
    guard Self.move(unfinishedPath, toUnused: path) else { throw failure("cannot be created") }
    do throws(DatabaseError) {
      try check(DiskSync.path(path.containingFolder))
    } catch {
      unlink(path)
      throw error
    }
  }

  func discard() {
    if isOpen { close(descriptor) }
    Self.removeUnfinished(path)
  }

  /// Removes an unfinished file and the files that an engine left next to it.
  private static func removeUnfinished(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + unfinishedSuffix + suffix) }
  }

  /// Renames a file, unless a file of the new name appeared in the meantime; returns false, with `errno` set, if it did.
  private static func move(_ old: String, toUnused new: String) -> Bool {
    let unsupported = [EINVAL, EPERM, ENOSYS, ENOTSUP, EOPNOTSUPP]
    if renameExclusively(old, new) { return true }
    guard unsupported.contains(errno) else { return false }
    if link(old, new) == 0 {
      // If the power fails here, the next backup of this name removes the other one.
      unlink(old)
      return true
    }
    return unsupported.contains(errno) && rename(old, new) == 0
  }

  /// Renames a file in one step, unless the new name exists; returns false, with `errno` set, if that fails.
  private static func renameExclusively(_ old: String, _ new: String) -> Bool {
    #if canImport(Darwin)
      return renamex_np(old, new, UInt32(RENAME_EXCL)) == 0
    #else
      // Swift's modules of the C libraries do not contain this function, and older C libraries lack it
      // (https://man7.org/linux/man-pages/man2/rename.2.html).
      typealias Rename = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      guard let address = dlsym(nil, "renameat2") else {
        errno = ENOSYS
        return false
      }
      let noReplace: UInt32 = 1
      return unsafeBitCast(address, to: Rename.self)(AT_FDCWD, old, AT_FDCWD, new, noReplace) == 0
    #endif
  }

  /// Removes the unfinished name of a finished file, which a power failure leaves on a file system without exclusive
  /// renames.
  private static func removeSecondName(of file: stat, _ path: String) {
    var status = stat()
    guard lstat(path + unfinishedSuffix, &status) == 0, status.st_dev == file.st_dev, status.st_ino == file.st_ino
    else { return }
    unlink(path + unfinishedSuffix)
  }

  private func check(_ number: Int32) throws(DatabaseError) {
    guard number != 0 else { return }
    throw Self.failure(number, "\(path) cannot be written", engine)
  }

  private func failure(_ what: String) -> DatabaseError { Self.failure(errno, "\(path) \(what)", engine) }

  private static func failure(_ number: Int32, _ what: String, _ engine: String) -> DatabaseError {
    let (condition, remedy): (DatabaseError.Condition, String?) =
      switch number {
      case ENOSPC, EDQUOT, EFBIG: (.full, "Free some space, or choose another disk.")
      case EACCES, EPERM: (.permissionDenied, "Check the permissions of the folder.")
      case EROFS: (.readOnly, "Choose another folder.")
      case ENOENT, ENOTDIR: (.folderMissing, "Create the folder, or correct the path.")
      case EEXIST: (.misuse, "Choose another path, or move the file away.")
      default: (.inputOutput, nil)
      }
    return DatabaseError(
      condition, engine: engine, message: "\(what): \(String(cString: strerror(number)))", remedy: remedy)
  }
}

/// The owner, the group and the permissions of a new file.
package enum FileOwner {
  /// Sets the owner and the group of an open file to those of another file, as far as this process is allowed to.
  package static func set(of descriptor: Int32, likeFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0, fchown(descriptor, status.st_uid, status.st_gid) != 0 else { return }
    // Only the superuser may set another owner, and others only a group of theirs; otherwise the file keeps its own.
    _ = fchown(descriptor, uid_t.max, status.st_gid)
  }

  /// Sets the owner, the group and then the permissions of an open, private file to those of another file.
  ///
  /// The file remains private if it cannot get that owner and group: the permissions would give access to other users.
  static func setWithPermissions(of descriptor: Int32, likeFileAt path: String) {
    set(of: descriptor, likeFileAt: path)
    var (model, file) = (stat(), stat())
    guard stat(path, &model) == 0, fstat(descriptor, &file) == 0, file.st_uid == model.st_uid,
      file.st_gid == model.st_gid
    else { return }
    // If the file system does not support permissions, all files have the same.
    _ = fchmod(descriptor, model.st_mode & 0o777)
  }
}

/// Functions that sync recent writes to disk, so that they survive a power loss.
package enum DiskSync {
  /// Waits until a file's content is on the disk itself.
  ///
  /// - Returns: The system's error number; zero on success.
  package static func file(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // On Apple platforms, fsync(2) leaves the content in the disk's cache; devices without F_FULLFSYNC return an
      // error.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
  }

  /// Waits until the content of a file, or the names in a folder, are on the disk itself.
  ///
  /// - Returns: The system's error number; zero on success.
  package static func path(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let number = file(descriptor)
    // Some file systems cannot sync a folder and return EINVAL; they do not need the call.
    return number == EINVAL ? 0 : number
  }
}
