internal import Migrator
public import MigratorCommand
internal import SQLCipherBackend

extension ToolBackend {
  /// Encrypted files, for the tool.
  public static let sqlCipher = ToolBackend(
    name: "sqlcipher", title: "SQLCipher", needsKey: true, checks: [.cipherIntegrity], convert: convert
  ) { location throws(DatabaseError) in
    SQLCipher(
      path: location.path, key: try EncryptionKey(location.key), settings: CipherSettings(location.cipher),
      library: location.library)
  }
}

extension ToolBackend {
  @Sendable private static func convert(_ conversion: ToolConversion) async throws -> ConversionOutcome {
    let location = conversion.location
    let key = try EncryptionKey(location.key)
    let settings = CipherSettings(location.cipher)
    let options = ConversionOptions(
      keepingOriginal: conversion.keepsOriginal, library: location.library,
      progress: conversion.progress)
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
  /// Whether every page of the file is as it was encrypted.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check, which came with SQLCipher 4.
  static let cipherIntegrity = ToolCheck(name: "cipher pages") { db in
    let version = try String.fetchOne(db, sql: "PRAGMA cipher_version") ?? ""
    guard let major = Int(version.prefix { $0 != "." }), major >= 4 else {
      return .skipped("SQLCipher before version 4 has no check of its own; reading a page authenticates it")
    }
    let problems = try String.fetchAll(db, sql: "PRAGMA cipher_integrity_check")
    return problems.isEmpty ? .passed("each is as it was encrypted") : .failed(problems)
  }
}
