package import SQLiteEngine

extension EngineFamily {
  /// SQLCipher, as Debian and Apple's package managers name its library.
  package static let sqlCipher = EngineFamily(
    name: "SQLCipher",
    libraryNames: [
      "libsqlcipher.so.1", "libsqlcipher.so.0", "libsqlcipher.so", "libsqlcipher.dylib",
      "/opt/homebrew/lib/libsqlcipher.dylib", nil,
    ],
    debianPackage: "libsqlcipher-dev", isEncrypting: true)
}
