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
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
    return try paths.sorted().filter { [".swift", ".c", ".h"].contains(where: $0.hasSuffix) }.map { path in
      try SourceFile(path: "\(folder)/\(path)", text: text("\(folder)/\(path)"))
    }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }
}
