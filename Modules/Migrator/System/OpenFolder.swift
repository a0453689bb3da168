#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// A folder that is held open, so that its files are found in this folder even if its path comes to lead elsewhere, as
/// another process that may write to a folder of the path can achieve at any moment.
///
/// A file is named by its path, of which only the last component counts. Symbolic links in the folder are not followed.
/// A function that fails sets `errno`.
package final class OpenFolder: Sendable {
  private let descriptor: Int32

  /// Opens a folder; nil, with `errno` set, if that fails.
  package init?(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Returns whether a path still leads to this folder.
  func isAt(_ path: String) -> Bool {
    var own = stat()
    return fstat(descriptor, &own) == 0 && FileIdentity(own) == FileIdentity(path: path)
  }

  /// Returns the status of a file; nil if there is none or it cannot be examined.
  package func status(of path: String) -> stat? {
    var status = stat()
    // A path that ends with a slash is the path of the folder itself.
    let name = path.lastPathComponent.isEmpty ? "." : path.lastPathComponent
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens a file, which is also closed on exec, and returns its descriptor; a negative number on failure.
  package func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    openat(descriptor, path.lastPathComponent, flags | O_NOFOLLOW | O_CLOEXEC, mode)
  }

  /// Removes a file; returns whether this succeeded.
  @discardableResult
  package func remove(_ path: String) -> Bool { unlinkat(descriptor, path.lastPathComponent, 0) == 0 }

  /// Whether a file's permissions allow no one to write to it.
  func isWriteProtected(_ path: String) -> Bool { status(of: path).map { $0.st_mode & 0o222 == 0 } ?? false }

  /// Takes away the permissions to write to a file, so that this survives a power loss; returns whether this succeeded.
  func writeProtect(_ path: String) -> Bool {
    let file = openFile(path, O_RDONLY)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    return fstat(file, &status) == 0 && fchmod(file, status.st_mode & 0o555) == 0 && DiskSync.file(file) == 0
  }

  /// Renames a file, and replaces a file that has the new name; returns whether this succeeded.
  package func rename(_ old: String, to new: String) -> Bool {
    renameat(descriptor, old.lastPathComponent, descriptor, new.lastPathComponent) == 0
  }

  /// Renames a file in one step, unless the new name exists; returns whether this succeeded.
  func renameExclusively(_ old: String, to new: String) -> Bool {
    #if canImport(Darwin)
      return renameatx_np(
        descriptor, old.lastPathComponent, descriptor, new.lastPathComponent, UInt32(RENAME_EXCL)) == 0
    #else
      // Swift's modules of the C libraries do not contain this function, and older C libraries lack it
      // (https://man7.org/linux/man-pages/man2/rename.2.html).
      typealias Rename = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      guard let address = dlsym(nil, "renameat2") else {
        errno = ENOSYS
        return false
      }
      let noReplace: UInt32 = 1
      return unsafeBitCast(address, to: Rename.self)(
        descriptor, old.lastPathComponent, descriptor, new.lastPathComponent, noReplace) == 0
    #endif
  }

  /// Gives a file a second name (a hard link); returns whether this succeeded.
  package func link(_ path: String, as name: String) -> Bool {
    linkat(descriptor, path.lastPathComponent, descriptor, name.lastPathComponent, 0) == 0
  }

  /// Waits until the names in the folder survive a power loss; returns the system's error number, or zero.
  package func sync() -> Int32 {
    let number = DiskSync.file(descriptor)
    // Some file systems cannot sync a folder and return EINVAL; they do not need the call.
    return number == EINVAL ? 0 : number
  }
}

/// A function that syncs recent writes to disk, so that they survive a power loss.
package enum DiskSync {
  /// Waits until a file's content survives a power loss; returns the system's error number, or zero.
  package static func file(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // On Apple platforms, fsync(2) leaves the content in the disk's cache; devices without F_FULLFSYNC return an
      // error.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
  }
}

/// The identity of a file, independent of its path: the numbers of its device and its inode.
package struct FileIdentity: Sendable, Hashable {
  /// The device's number.
  package let device: UInt64
  /// The file's inode number on its device.
  package let inode: UInt64

  /// Looks up the file at a path, following symbolic links; nil when there is none or it cannot be examined.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Takes the identity from the status of a file.
  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
