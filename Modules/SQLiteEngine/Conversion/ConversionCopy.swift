internal import CSQLiteLoader
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The new file of a conversion, from its creation until it replaces the database.
///
/// Its descriptor holds the lock by which other processes recognize a running conversion. The descriptor is closed
/// after all connections to the file, because closing it drops the locks of these connections
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
final class ConversionCopy {
  let files: ConversionFiles
  private let descriptor: Int32
  private let file: FileIdentity

  private init(_ files: ConversionFiles, _ descriptor: Int32, _ file: FileIdentity) {
    self.files = files
    self.descriptor = descriptor
    self.file = file
  }

  deinit { close(descriptor) }

  var path: String { files.copy }

  /// Creates the file, empty and locked, with the owner and the permissions of the original, so that no other user can
  /// ever read it.
  static func create(_ files: ConversionFiles, for claim: ConversionClaim) throws(DatabaseError) -> ConversionCopy {
    guard let status = files.folder.status(of: files.path) else {
      throw files.error(errno, "\(files.path) cannot be accessed")
    }
    let mode = status.st_mode & 0o7777
    let descriptor = files.folder.openFile(
      files.copy, O_RDWR | O_CREAT | O_EXCL, mode: ConversionMark.unfinishedMode)
    guard descriptor >= 0 else { throw files.error(errno, "\(files.copy) cannot be created") }
    do throws(DatabaseError) {
      guard csqlite_try_lock(descriptor, 1) == 0 else { throw files.error(errno, "\(files.copy) cannot be locked") }
      var own = stat()
      guard fstat(descriptor, &own) == 0 else { throw files.error(errno, "\(files.copy) cannot be accessed") }
      let file = FileIdentity(own)
      // Write the claim while the file's permissions still mark the file as unfinished.
      try files.makeClaim(of: file)
      try files.syncFolder()
      try give(descriptor, own, status, mode, files)
      OpenFileRegistry.shared.claim(file, for: claim)
      return ConversionCopy(files, descriptor, file)
    } catch {
      // Report the first error; the next conversion removes a copy that remains.
      try? files.removeCopy()
      close(descriptor)
      throw error
    }
  }

  private static func give(
    _ descriptor: Int32, _ own: stat, _ status: stat, _ mode: mode_t, _ files: ConversionFiles
  ) throws(DatabaseError) {
    if own.st_uid != status.st_uid || own.st_gid != status.st_gid {
      guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else {
        throw files.error(errno, "the owner and group of \(files.path) cannot be set on its copy")
      }
    }
    // Set the permissions last, since a change of owner may remove some of them.
    guard fchmod(descriptor, mode) == 0 else {
      throw files.error(errno, "the permissions of \(files.path) cannot be set on its copy")
    }
  }

  var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Removes the file.
  ///
  /// Must be called before the descriptor is closed: after that, another file may get the same inode number.
  func remove() throws(DatabaseError) {
    OpenFileRegistry.shared.release(file)
    try files.removeCopy()
  }

  /// Starts writing the content to disk in the background, while the copy is compared with the original, which shortens
  /// the conversion of 200 MB by 0.1 to 1 second.
  func beginWriting() { csqlite_begin_writing(descriptor) }

  /// Writes the content to disk, so that it survives a power failure.
  func sync() throws(DatabaseError) {
    let number = DiskSync.file(descriptor)
    guard number != 0 else { return }
    throw files.error(number, "\(files.copy) could not be written to the disk")
  }

  /// Throws if the file's path leads to another file, or the engine has opened another file.
  ///
  /// The engine opens files by their paths, so this is called before and after that, and again before the file replaces
  /// the database.
  func confirmPath(openedBy connection: EngineConnection? = nil, as schema: String = "main") throws(DatabaseError) {
    let isInFolder = files.folder.status(of: path).map(FileIdentity.init) == file
    if isInFolder, FileIdentity(path: path) == file, connection?.hasMoved(schema) != true { return }
    throw DatabaseError(
      .denied, engine: files.engine, message: "another program moved or replaced \(files.copy), or its folder",
      remedy: "Convert the database in a folder to which no other user may write. Nothing was changed.")
  }

  /// Replaces the database with this file, atomically.
  func replaceOriginal() throws(DatabaseError) {
    try confirmPath()
    guard files.folder.rename(files.copy, to: files.path) else {
      throw files.error(errno, "the copy cannot replace \(files.path)")
    }
  }
}
