internal import Migrator

/// The tables in which the virtual tables of SQLite's own modules keep their rows.
///
/// https://www.sqlite.org/vtab.html#xshadowname
enum ShadowTable {
  private static let suffixes: [String: [String]] = [
    "fts3": ["content", "segments", "segdir", "docsize", "stat"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["data", "idx", "content", "docsize", "config"],
    "rtree": ["node", "rowid", "parent"],
    "rtree_i32": ["node", "rowid", "parent"],
    "geopoly": ["node", "rowid", "parent"],
    "spellfix1": ["vocab"],
  ]

  /// The names that the shadow tables of a virtual table have, in lower case, whether they exist or not; empty for
  /// modules that are not known.
  static func names(of virtualTable: SchemaObject) -> [String] {
    guard let sql = virtualTable.sql, let module = module(of: sql) else { return [] }
    return suffixes[module, default: []].map { "\(virtualTable.name.asciiLowercased)_\($0)" }
  }

  /// The module's name in lower case, which stands behind the first USING.
  private static func module(of sql: String) -> String? {
    let tokenizer = SQLTokenizer(sql)
    var isNext = false
    for token in tokenizer where !token.isTrivia {
      if isNext { return SQLIdentifier.unquoted(tokenizer.text(of: token)).asciiLowercased }
      isNext = token.kind == .word && tokenizer.text(of: token).asciiLowercased == "using"
    }
    return nil
  }
}
