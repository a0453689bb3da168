import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

extension TestEngine {
  /// Opens a connection to an encrypted file; a raw key needs no derivation.
  func connect(
    _ path: String, key: TestKey = .raw, settings: CipherSettings = CipherSettings(),
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

extension Data {
  /// Returns whether the bytes contain the UTF-8 of a text.
  func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

extension TemporaryFolder {
  /// Returns everything visible of the folder's files: names, bytes, times.
  ///
  /// Another process reads them: closing a file here would drop the locks that an engine holds on it.
  func state() throws -> [String: String] {
    let script = #"""
      for f in *; do
        [ ! -f "$f" ] || printf '%s\t%s %s\n' "$f" "$(stat -c '%y %s %i' "$f")" "$(cksum < "$f")"
      done
      """#
    let lines = try ShellScript.run(script, in: path).split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: "\t", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      })
  }
}
