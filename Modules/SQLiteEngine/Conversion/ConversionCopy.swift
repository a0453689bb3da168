internal import CSQLite
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The new file, from its creation to the moment when it takes the database's place.
///
/// Its descriptor holds the lock by which others see the conversion. It is closed after all connections to the file, as
/// it would take their locks with it
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
final class ConversionCopy {
  private let files: ConversionFiles
  private let descriptor: Int32
  private let file: FileIdentity

  private init(_ files: ConversionFiles, _ descriptor: Int32, _ file: FileIdentity) {
    self.files = files
    self.descriptor = descriptor
    self.file = file
  }

  deinit { close(descriptor) }

  var path: String { files.copy }

  /// Creates the file, empty and locked, with the owner and the permissions of the original: no one else may read it at any
  /// moment.
  static func create(_ files: ConversionFiles, for claim: ConversionClaim) throws(DatabaseError) -> ConversionCopy {
    var status = stat()
    guard stat(files.path, &status) == 0 else { throw files.error(errno, "\(files.path) cannot be looked at") }
    let mode = status.st_mode & 0o7777
    let descriptor = open(
      files.copy, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, ConversionMark.unfinishedMode)
    guard descriptor >= 0 else { throw files.error(errno, "\(files.copy) cannot be created") }
    do throws(DatabaseError) {
      guard csqlite_try_lock(descriptor, 1) == 0 else { throw files.error(errno, "\(files.copy) cannot be locked") }
      guard let file = FileIdentity(path: files.copy) else { throw files.error(errno, "\(files.copy) is gone") }
      // While its permissions still say that it is not finished.
      try files.makeClaim(of: file)
      try give(descriptor, status, mode, files)
      try files.syncFolder()
      OpenFileRegistry.shared.claim(file, for: claim)
      return ConversionCopy(files, descriptor, file)
    } catch {
      // The first error matters; a copy that stays is removed by the next conversion.
      try? files.removeCopy()
      close(descriptor)
      throw error
    }
  }

  private static func give(
    _ descriptor: Int32, _ status: stat, _ mode: mode_t, _ files: ConversionFiles
  ) throws(DatabaseError) {
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { throw files.error(errno, "\(files.copy) cannot be looked at") }
    if own.st_uid != status.st_uid || own.st_gid != status.st_gid {
      guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else {
        throw files.error(errno, "the copy of \(files.path) cannot be given to the file's owner and group")
      }
    }
    // Afterwards, since a change of the owner may take permissions away.
    guard fchmod(descriptor, mode) == 0 else {
      throw files.error(errno, "the copy cannot be given the permissions of \(files.path)")
    }
  }

  var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Removes the file, whose number another one may get as soon as it is closed.
  func remove() throws(DatabaseError) {
    OpenFileRegistry.shared.release(file)
    try files.removeCopy()
  }

  /// Starts writing the content to the disk, which goes on while the copy is compared with the original.
  func beginWriting() { csqlite_begin_writing(descriptor) }

  /// Makes the content last, whatever happens to the power.
  func sync() throws(DatabaseError) {
    let number = DiskSync.file(descriptor)
    guard number != 0 else { return }
    throw files.error(number, "\(files.copy) could not be written to the disk")
  }

  /// Puts the file in the place of the database, as one step.
  func replaceOriginal() throws(DatabaseError) {
    guard rename(files.copy, files.path) == 0 else {
      throw files.error(errno, "the copy cannot take the place of \(files.path)")
    }
  }
}
