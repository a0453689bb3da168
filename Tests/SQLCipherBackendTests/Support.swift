import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

extension TestEngine {
  /// Opens a connection to an encrypted file.
  func connect(
    _ path: String, key: TestKey = .passphrase, settings: CipherSettings = CipherSettings(),
    options: ConnectionOptions = ConnectionOptions()
  ) throws -> any DatabaseConnection {
    try backend(path: path, key: key, settings: settings).connect(options)
  }

  /// Opens a connection to an encrypted file with a test's own key.
  func connect(
    _ path: String, key: EncryptionKey, settings: CipherSettings = CipherSettings()
  ) throws -> any DatabaseConnection {
    try SQLCipher(path: path, key: key, settings: settings, engine: source).connect(ConnectionOptions())
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

/// Returns the error of a closure, which must be a `DatabaseError`.
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
  /// Returns whether the bytes contain the UTF-8 of a text.
  func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

extension TemporaryFolder {
  /// Returns everything visible of the folder's files: names, bytes, times.
  ///
  /// Another process reads them: closing a file here would drop the locks that an engine holds on it.
  func state() throws -> [String: String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      "cd \"$1\" && for f in *; do [ -f \"$f\" ] && printf '%s\\t%s %s\\n' \"$f\" \"$(stat -c '%y %s %i' \"$f\")\" \"$(cksum < \"$f\")\"; done; true",
      "sh", path,
    ]
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: "\t", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      })
  }
}
