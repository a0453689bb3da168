internal import Migrator
public import MigratorCommand
internal import SQLCipherBackend

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension ToolBackend {
  /// The backend for encrypted databases, run by SQLCipher.
  public static let sqlCipher = ToolBackend(
    name: "sqlcipher", title: "SQLCipher", needsKey: true, checks: [.cipherIntegrity], convert: convert
  ) { location throws(DatabaseError) in
    SQLCipher(
      path: location.path, key: try EncryptionKey(location.key), settings: CipherSettings(location.cipher),
      engine: EngineSource(libraryPath: location.library))
  }

  @Sendable private static func convert(_ conversion: ToolConversion) async throws -> ConversionOutcome {
    let location = conversion.location
    let key = try EncryptionKey(location.key)
    let settings = CipherSettings(location.cipher)
    var options = ConversionOptions(
      keepingOriginal: conversion.keepsOriginal, engine: EngineSource(libraryPath: location.library),
      progress: conversion.progress)
    if let lockTimeout = conversion.lockTimeout { options.patience = lockTimeout }
    switch conversion.kind {
    case .encrypt: return try await SQLCipher.encrypt(location.path, key: key, settings: settings, options: options)
    case .decrypt: return try await SQLCipher.decrypt(location.path, key: key, settings: settings, options: options)
    case .rekey:
      return try await SQLCipher.rekey(
        location.path, from: key, to: EncryptionKey(conversion.newKey), settings: settings, options: options)
    case .upgrade:
      return try await SQLCipher.upgrade(
        location.path, key: key, from: location.cipher == CipherOptions() ? nil : settings,
        to: CipherSettings(conversion.newCipher), options: options)
    }
  }
}

extension ToolCheck {
  /// The check that each page of the file is authentic, which SQLCipher has supported since version 4
  /// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check).
  static let cipherIntegrity = ToolCheck(name: "cipher pages") { db in
    let version = try String.fetchOne(db, sql: "PRAGMA cipher_version") ?? ""
    guard let major = Int(version.prefix { $0 != "." }), major >= 4 else {
      return .skipped("SQLCipher before version 4 has no such check; it authenticates each page that it reads")
    }
    // SQLCipher checks the whole file, and cannot be interrupted. A damaged journal may have made the file huge.
    let excess = try sizeAfterLastPage(db)
    guard excess < 1 << 30 else {
      return .failed(["not checked: the file continues for \(excess) bytes after its last page; VACUUM removes them"])
    }
    let problems = try String.fetchAll(db, sql: "PRAGMA cipher_integrity_check")
    return problems.isEmpty ? .passed("all pages are authentic") : .failed(problems)
  }

  /// Returns the number of bytes in the file after the last page of the database, which SQLite ignores.
  private static func sizeAfterLastPage(_ db: Database) throws -> Int {
    let path = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") ?? ""
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    let used = try Int.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    return Int(status.st_size) - (used ?? 0)
  }
}

extension EncryptionKey {
  /// Copies the tool's key to memory that the backend protects.
  init(_ key: ToolKey?) throws(DatabaseError) {
    guard let key else { throw DatabaseError(.invalidKey, engine: "SQLCipher", message: "no key was given") }
    // All connections use one value: its copies share the key that is derived from a passphrase.
    self = key.secret.once {
      key.secret.withUnsafeBytes { bytes in
        switch key.form {
        case .passphrase: .passphrase(bytes)
        case .raw: bytes.count == 48 ? .rawWithSalt(bytes) : .raw(bytes)
        }
      }
    }
  }
}

extension CipherSettings {
  init(_ options: CipherOptions) {
    self.init(compatibility: options.compatibility)
    pageSizeInBytes = options.pageSizeInBytes
    kdfIterations = options.keyIterations
    usesHMAC = options.usesAuthentication
    hmacAlgorithm = options.authenticationAlgorithm.flatMap { Algorithm(rawValue: $0.uppercased()) }
    kdfAlgorithm = options.keyAlgorithm.flatMap { Algorithm(rawValue: $0.uppercased()) }
    plaintextHeaderSizeInBytes = options.plaintextHeaderSizeInBytes
  }
}
