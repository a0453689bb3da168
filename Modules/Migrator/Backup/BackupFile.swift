#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file that gets its final name once it is complete and synced to disk.
///
/// Until then it has a temporary name, so a process that dies leaves nothing that looks like a backup.
struct BackupFile {
  static let unfinishedSuffix = ".unfinished"

  private let path: String
  private let engine: String
  private let folder: OpenFolder
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
    guard let folder = OpenFolder(path.containingFolder) else {
      throw Self.failure(errno, "\(path) cannot be created", engine)
    }
    self.folder = folder
    if let status = folder.status(of: path) {
      Self.removeSecondName(of: status, path, in: folder)
      throw DatabaseError(
        .misuse, engine: engine, message: "\(path) already exists", remedy: "Choose another path, or move it away.")
    }
    // Remove the remains of a dead process; a process that is still running fails when it finishes.
    Self.removeUnfinished(path, in: folder)
    descriptor = folder.openFile(path + Self.unfinishedSuffix, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
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
    guard folder.isAt(path.containingFolder) else {
      throw DatabaseError(
        .denied, engine: engine, message: "another program moved or replaced the folder of \(path) during the backup",
        remedy: "Choose a folder to which no other user may write.")
    }
    guard moveToUnusedName() else { throw failure("cannot be created") }
    do throws(DatabaseError) {
      try check(folder.sync())
    } catch {
      folder.remove(path)
      throw error
    }
  }

  /// Gives the finished file the name of another file in its folder, which it replaces in one step; if this method throws an
  /// error, no file of the temporary name remains.
  ///
  /// - Returns: The error, if the folder cannot be written to the disk after the file was replaced.
  func finish(replacing other: String) throws(DatabaseError) -> DatabaseError? {
    guard folder.rename(unfinishedPath, to: other) else {
      let error = Self.failure(errno, "\(other) cannot be replaced", engine)
      discard()
      throw error
    }
    let number = folder.sync()
    guard number != 0 else { return nil }
    var error = Self.failure(number, "the folder of \(other) cannot be written to the disk", engine)
    error.remedy = "The file was replaced, but after a power cut the old one may be there: restore the backup again."
    return error
  }

  func discard() {
    if isOpen { close(descriptor) }
    Self.removeUnfinished(path, in: folder)
  }

  /// Removes an unfinished file and the files that an engine left next to it.
  private static func removeUnfinished(_ path: String, in folder: OpenFolder) {
    for suffix in ["", "-wal", "-shm", "-journal"] { folder.remove(path + unfinishedSuffix + suffix) }
  }

  /// Gives the file its final name, unless another file of that name appeared in the meantime; returns false, with
  /// `errno` set, if one did.
  private func moveToUnusedName() -> Bool {
    let unsupported = [EINVAL, EPERM, ENOSYS, ENOTSUP, EOPNOTSUPP]
    if folder.renameExclusively(unfinishedPath, to: path) { return true }
    guard unsupported.contains(errno) else { return false }
    if folder.link(unfinishedPath, as: path) {
      // If the power fails here, the next backup of this name removes the other one.
      folder.remove(unfinishedPath)
      return true
    }
    return unsupported.contains(errno) && folder.rename(unfinishedPath, to: path)
  }

  /// Removes the unfinished name of a finished file, which a power failure leaves on a file system without exclusive
  /// renames.
  private static func removeSecondName(of file: stat, _ path: String, in folder: OpenFolder) {
    guard let status = folder.status(of: path + unfinishedSuffix), status.st_dev == file.st_dev,
      status.st_ino == file.st_ino
    else { return }
    folder.remove(path + unfinishedSuffix)
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
