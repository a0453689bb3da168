internal import Foundation
internal import Migrator

enum TestFiles {
  static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static func isWritable(_ path: String) -> Bool { FileManager.default.isWritableFile(atPath: path) }

  static func createFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func setPermissions(_ permissions: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
  }

  /// Returns the sorted names of the files in the folder of `path`, including the file at `path` itself.
  static func names(beside path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path.containingFolder).sorted()
  }

  /// Returns the names of the files that contain a text, in the folder of `path`, including the file at `path` itself.
  static func names(holding text: String, beside path: String) throws -> [String] {
    let pattern = Data(text.utf8)
    return try names(beside: path).filter { name in
      try Data(contentsOf: URL(filePath: "\(path.containingFolder)/\(name)")).range(of: pattern) != nil
    }
  }

  /// Returns bytes that look random but are the same at each call.
  static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    // A prime number of bytes, repeated: no two pages of a database are the same.
    var bytes = (0..<min(count, 10_007)).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
    return bytes
  }
}
