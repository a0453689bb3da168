package import SQLiteEngine

extension EngineFamily {
  /// SQLite, as Debian and Apple name its library, or linked into the program.
  package static let sqlite = EngineFamily(
    name: "SQLite",
    libraryNames: ["libsqlite3.so.0", "libsqlite3.so", "/usr/lib/libsqlite3.dylib", "libsqlite3.dylib", nil],
    debianPackage: "libsqlite3-dev", isEncrypting: false)
}
