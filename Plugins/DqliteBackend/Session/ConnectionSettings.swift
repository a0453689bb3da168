internal import DqliteWire
internal import Migrator
internal import SQLSyntax

/// The settings of a connection, which are made again on each new connection.
struct ConnectionSettings {
  /// The statements that make the settings, by name.
  ///
  /// The first two keep the node alive: a transaction larger than the page cache, and a temporary table of that size,
  /// would end it.
  private var statements = ["temp_store": "PRAGMA temp_store = MEMORY", "cache_spill": "PRAGMA cache_spill = OFF"]

  init(_ options: ConnectionOptions) {
    if !options.trustsSchema { statements["trusted_schema"] = "PRAGMA trusted_schema = OFF" }
    statements["query_only"] = "PRAGMA query_only = \(options.isReadOnly ? 1 : 0)"
    statements["foreign_keys"] = "PRAGMA foreign_keys = \(options.enforcesForeignKeys ? 1 : 0)"
  }

  /// The statement that makes a setting; nil for a setting that was never made.
  subscript(name: String) -> String? {
    get { statements[name] }
    set {
      statements[name] = newValue.map { sql in
        // Without comments: one that does not end would hide the settings after it.
        let tokenizer = SQLTokenizer(sql)
        return tokenizer.map { token in
          [.comment, .unterminated].contains(token.kind) ? " " : tokenizer.text(of: token)
        }.joined()
      }
    }
  }

  /// Whether statements may change the schema without SQLite's checks.
  var allowsSchemaEditing: Bool {
    let sql = statements["writable_schema"] ?? ""
    guard case .pragma(_, _, let value?) = SQLStatementKind(of: sql) else { return false }
    return !["0", "off", "no", "false", "reset"].contains(value.asciiLowercased)
  }

  func make(on node: NodeSession) throws(WireError) {
    // A statement that returns a row must be sent as a query.
    let queries = statements.filter { PragmaUse.settingsWithRow.contains($0.key) }
    let others = statements.filter { queries[$0.key] == nil }
    _ = try node.execute(others.values.joined(separator: "; "))
    for sql in queries.values { _ = try node.query(sql) }
  }
}
