import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

extension TestEngine {
  /// A connection to an encrypted file.
  func connect(
    _ path: String, key: TestKey = .passphrase, settings: CipherSettings = CipherSettings(),
    options: ConnectionOptions = ConnectionOptions()
  ) throws -> any DatabaseConnection {
    try backend(path: path, key: key, settings: settings).connect(options)
  }

  /// A connection to an encrypted file with a key of the test's own.
  func connect(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings()
  ) throws -> any DatabaseConnection {
    try SQLCipher(path: path, key: key, settings: settings, library: libraryPath).connect(ConnectionOptions())
  }
}

extension DatabaseConnection {
  /// Runs all statements of a script and returns the texts of the first column of all rows.
  @discardableResult
  func run(_ script: String) throws -> [String] {
    var texts: [String] = []
    var offset = 0
    while true {
      let next = try prepare(script, utf8Offset: offset)
      guard let statement = next.statement else { return texts }
      while try statement.step() { texts.append(statement.text(at: 0)) }
      offset = next.endOffset
    }
  }
}

/// The error that a piece of work throws, which must be a `DatabaseError`.
func databaseError(
  _ work: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws -> DatabaseError {
  do {
    try work()
  } catch let error as DatabaseError {
    return error
  }
  let nothing: DatabaseError? = nil
  return try #require(nothing, "no DatabaseError was thrown", sourceLocation: sourceLocation)
}

extension Data {
  /// Whether the UTF-8 bytes of a text are among the bytes.
  func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
