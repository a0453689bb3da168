#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A temporary folder for one test, removed with its content when the value is released.
package final class TemporaryFolder: Sendable {
  /// The folder's path, without a slash at its end.
  package let path: String

  /// Creates a new folder in the system's folder for temporary files.
  ///
  /// - Parameter isInMemory: Whether the folder is in memory if the system has a folder for that, for tests that write and
  ///   sync thousands of files.
  package init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: memory)
      ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("migrator-\(UUID().uuidString)")
    path = folder.path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // Leftover files are in the folder for temporary files; a test has no use for the error.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the folder, whether it exists or not.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Returns the bytes of a file in the folder.
  package func bytes(of name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }

  /// Returns the names of all files in the folder, sorted.
  package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// Writes a file into the folder or its subfolders, which it creates, and returns its path.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
    let url = URL(fileURLWithPath: file(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }
}

extension TemporaryFolder {
  /// Renames a file of the folder.
  package func rename(_ name: String, to newName: String) throws {
    try FileManager.default.moveItem(atPath: file(name), toPath: file(newName))
  }
}
