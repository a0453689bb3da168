import Foundation

/// The source files of this project on disk.
enum ProjectSources {
  /// The project's root.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

  /// Returns every Swift and C file of the modules and plugins.
  static func files() throws -> [SourceFile] {
    try files(in: "Modules") + files(in: "Plugins")
  }

  /// Returns every Swift and C file in a folder, given from the root, and in its subfolders.
  static func files(in folder: String) throws -> [SourceFile] {
    try paths(in: folder).map { try SourceFile(path: $0, text: text($0)) }
  }

  /// Returns the path from the root of every Swift and C file in a folder and in its subfolders.
  static func paths(in folder: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
    return paths.sorted().filter { [".swift", ".c", ".h"].contains(where: $0.hasSuffix) }.map { "\(folder)/\($0)" }
  }

  /// Returns the modules that a Swift file imports, without reading more than its lines' beginnings.
  static func imports(of path: String) throws -> [String] {
    try text(path).utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
      guard let position = words.prefix(2).firstIndex(where: { $0.elementsEqual("import".utf8) }) else { return nil }
      return words.dropFirst(position + 1).first.map { String(Substring($0)) }
    }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }
}
