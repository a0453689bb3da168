#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file or folder in a folder.
struct FolderEntry {
  /// The name, without the folder's.
  let name: String

  /// Whether it is a folder; nil when the folder's list does not tell, as of a link.
  private let listedAsFolder: Bool?

  /// Whether the folder's list says that it is a file, and neither a link nor anything else.
  var isListedAsFile: Bool { listedAsFolder == false }

  /// Whether it is a folder, links followed.
  ///
  /// - Parameter path: The entry's path.
  func isFolder(at path: String) -> Bool { listedAsFolder ?? FileSystem.isFolder(path) }

  /// All that is in a folder, in the file system's own order, which is chance.
  static func all(in folder: String) throws(SystemFailure) -> [FolderEntry] {
    guard let stream = opendir(folder) else { throw SystemFailure("\(folder) cannot be listed", errno) }
    defer { closedir(stream) }
    var entries: [FolderEntry] = []
    while true {
      // The end and a failure differ in this alone: https://pubs.opengroup.org/onlinepubs/9799919799/functions/readdir.html.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name != ".", name != ".." else { continue }
      entries.append(FolderEntry(name: name, listedAsFolder: isFolder(entry.pointee.d_type)))
    }
    guard errno == 0 else { throw SystemFailure("\(folder) cannot be listed", errno) }
    return entries
  }

  private static func isFolder(_ type: UInt8) -> Bool? {
    switch Int(type) {
    case Int(DT_DIR): true
    case Int(DT_REG): false
    default: nil
    }
  }
}
