internal import Foundation
package import Migrator
internal import SQLCipherBackend
internal import SQLiteBackend

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The engines that this machine has as static archives.
///
/// An app links an archive into its program. This process links one into a small library for each engine, so that it can
/// run both; the library exports no function of the engine, only the one that returns their table.
package enum LinkedEngine: String, CaseIterable, Sendable {
  /// SQLite.
  case sqlite = "libsqlite3.a"
  /// SQLCipher.
  case sqlCipher = "libsqlcipher.a"

  /// A file of an app's C target; the archive's references to standard streams are renamed, since they would not
  /// permit its use in a shared library.
  private static let target = """
    #include <stdio.h>
    #define CSQLITE_LINKED_OPENSSL
    #include <CSQLiteLinked.h>
    CSQLITE_LINKED(app_sqlite)
    __attribute__((visibility("hidden"))) FILE *linked_stdout, *linked_stderr;
    """

  private static let sources = Lock<[LinkedEngine: Result<EngineSource, any Error>]>([:])

  /// The source of the engine's functions, built once in this run.
  package func source() throws -> EngineSource {
    try Self.sources.withLock { sources throws in
      if let known = sources[self] { return try known.get() }
      let built = Result { try build() }
      sources[self] = built
      return try built.get()
    }
  }

  private func build() throws -> EngineSource {
    let folder = try TemporaryFolder.forThisRun()
    try Self.target.write(toFile: "\(folder)/target.c", atomically: true, encoding: .utf8)
    try ShellScript.run(
      """
      archive=$(clang -print-file-name=\(rawValue))
      objcopy --redefine-sym stdout=linked_stdout --redefine-sym stderr=linked_stderr "$archive" engine.a
      clang -fPIC -shared '-I\(BuiltEngines.packageRoot)/Modules/CSQLiteLoader/include' target.c -o engine.so \
        -Wl,--exclude-libs,ALL engine.a -lcrypto -lm
      """, in: folder)
    typealias Table = @convention(c) () -> UnsafeRawPointer
    guard let library = dlopen("\(folder)/engine.so", RTLD_NOW | RTLD_LOCAL),
      let symbol = dlsym(library, "app_sqlite")
    else { throw ShellScript.Failure(description: String(cString: dlerror())) }
    precondition(dlsym(library, "sqlite3_libversion") == nil, "The engine's functions are hidden.")
    return .linked(unsafeBitCast(symbol, to: Table.self)())
  }

  /// Returns a backend for a file.
  package func backend(path: String, key: TestKey = .rawWithSalt) throws -> any DatabaseBackend {
    switch self {
    case .sqlite: SQLite(path: path, engine: try source())
    case .sqlCipher: SQLCipher(path: path, key: key.encryptionKey, engine: try source())
    }
  }

  /// Returns a backend for an in-memory database.
  package func inMemoryBackend() throws -> any DatabaseBackend {
    switch self {
    case .sqlite: SQLite.inMemory(engine: try source())
    case .sqlCipher: SQLCipher.inMemory(engine: try source())
    }
  }
}
