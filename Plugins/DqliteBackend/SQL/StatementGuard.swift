internal import SQLSyntax

/// The statements that must not reach a node of dqlite 1.11, because they abort it, fill its memory, write to its disk, or
/// make the nodes differ.
enum StatementGuard {
  /// The reason for rejecting a statement, and a remedy.
  struct Refusal {
    let message: String
    let remedy: String
  }

  static func refusal(of sql: String, _ start: StatementStart) -> Refusal? {
    // However the names are quoted, and also in the definition of a view.
    let text = sql.asciiLowercased
    if text.contains("fts3_tokenizer") {
      return Refusal(
        message: "the function fts3_tokenizer lets the node call an address of its memory",
        remedy: "Name the tokenizer in CREATE VIRTUAL TABLE.")
    }
    if text.contains("pragma_optimize") {
      return Refusal(
        message: "the function pragma_optimize would write to the leader's copy of the database only",
        remedy: "Use PRAGMA optimize.")
    }
    switch start.kind {
    case .pragma(_, hasArgument: true, _) where start.keyword == "explain":
      return Refusal(message: "SQLite makes a setting even if it only explains the statement", remedy: "Omit EXPLAIN.")
    case .pragma("writable_schema", hasArgument: true, _) where !start.concernsMain:
      return Refusal(
        message: "writable_schema concerns all schemas of a connection", remedy: "Write PRAGMA writable_schema = ...")
    case .pragma(let name, let hasArgument, let argument):
      return refusal(ofPragma: name, hasArgument, argument)
    case .attach where !attachesMemory(sql):
      return Refusal(
        message: "dqlite cannot attach databases other than ':memory:': a write to one would end the node",
        remedy: "Open each database with its own queue.")
    case .vacuum where holds("into", sql):
      return Refusal(
        message: "VACUUM INTO would write a file on the leader's disk only",
        remedy: "Read the rows with queries to copy them.")
    case .other where start.keyword == "pragma":
      return Refusal(message: "this PRAGMA cannot be read", remedy: "Write its name without a comment or a string.")
    default:
      return nil
    }
  }

  private static func refusal(ofPragma name: String, _ hasArgument: Bool, _ argument: String?) -> Refusal? {
    guard PragmaUse(name, hasArgument: hasArgument, argument: argument) == nil else { return nil }
    if let allowed = PragmaUse.requiredSettings[name]?.first {
      return Refusal(
        message: "PRAGMA \(name) = \(argument ?? "") would make large transactions end the node",
        remedy: "Omit it: the connection uses PRAGMA \(name) = \(allowed.uppercased()).")
    }
    return Refusal(
      message: "PRAGMA \(name) cannot be used on dqlite: it would end the node, or change it for all connections",
      remedy: name == "busy_timeout"
        ? "Set the busy timeout in the configuration." : "Omit it: the cluster manages this setting itself.")
  }

  /// Returns whether an ATTACH statement attaches a database in memory, which no other connection uses.
  private static func attachesMemory(_ sql: String) -> Bool {
    let tokenizer = SQLTokenizer(sql)
    // The name of the file is compared as it is written: ':MEMORY:' is one.
    let texts = tokenizer.filter { !$0.isTrivia }.map { token in
      token.kind == .word ? tokenizer.text(of: token).asciiLowercased : tokenizer.text(of: token)
    }
    return texts.filter { $0 != "database" }.starts(with: ["attach", "':memory:'", "as"])
  }

  static func holds(_ word: String, _ sql: String) -> Bool {
    let tokenizer = SQLTokenizer(sql)
    return tokenizer.contains { $0.kind == .word && tokenizer.text(of: $0).asciiLowercased == word }
  }
}

/// The way in which a PRAGMA is sent to a node.
enum PragmaUse {
  /// It returns rows and changes nothing, or nothing but the connection.
  case returnsRows
  /// It changes the connection and returns no row.
  case sets
  /// It changes the connection and returns a row.
  case setsReturningRow
  /// It changes the database and returns no row.
  case writes

  /// Returns the use of a PRAGMA; nil if it is not known to be harmless.
  ///
  /// A PRAGMA with an argument must be known. One without an argument only reads, except for a few.
  init?(_ name: String, hasArgument: Bool, argument: String?) {
    if name == "optimize" {
      self = .writes
    } else if !hasArgument {
      guard !Self.actions.contains(name) else { return nil }
      self = .returnsRows
    } else if Self.functions.contains(name) {
      self = .returnsRows
    } else if let allowed = Self.requiredSettings[name] {
      guard let argument, allowed.contains(argument.asciiLowercased) else { return nil }
      self = .sets
    } else if Self.settings.contains(name) {
      self = .sets
    } else if Self.settingsWithRow.contains(name) {
      self = .setsReturningRow
    } else if Self.numbers.contains(name) {
      self = .writes
    } else {
      return nil
    }
  }

  /// The settings on which the survival of the node depends, with their allowed values, the usual one first.
  static let requiredSettings = ["temp_store": ["memory", "2"], "cache_spill": ["off", "0", "false", "no"]]

  /// The pragmas that act without an argument.
  private static let actions: Set<String> = ["wal_checkpoint", "incremental_vacuum", "shrink_memory"]

  /// The pragmas that return rows when they have an argument.
  private static let functions: Set<String> = [
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
    "foreign_key_check", "integrity_check", "quick_check",
  ]

  /// The settings that return their new value when they are made.
  static let settingsWithRow: Set<String> = ["secure_delete", "analysis_limit", "threads"]

  private static let settings: Set<String> = [
    "automatic_index", "cache_size", "case_sensitive_like", "cell_size_check", "checkpoint_fullfsync",
    "defer_foreign_keys", "foreign_keys", "full_column_names", "fullfsync", "ignore_check_constraints",
    "legacy_alter_table", "query_only", "read_uncommitted", "recursive_triggers", "reverse_unordered_selects",
    "short_column_names", "trusted_schema", "writable_schema",
  ]

  /// The numbers that a database stores.
  private static let numbers: Set<String> = ["user_version", "application_id", "schema_version"]
}

/// The properties of a statement that its first tokens show.
struct StatementStart {
  /// The kind of the statement, or of the statement that it explains.
  let kind: SQLStatementKind
  /// The first token in lower case; empty for text without a statement.
  let keyword: String
  /// Whether a PRAGMA names the main schema or none.
  let concernsMain: Bool

  init(of sql: String) {
    let tokenizer = SQLTokenizer(sql)
    var tokens: [String] = []
    for token in tokenizer where !token.isTrivia {
      tokens.append(tokenizer.text(of: token).asciiLowercased)
      if tokens.count == 4 { break }
    }
    keyword = tokens.first ?? ""
    concernsMain = tokens.count < 3 || tokens[2] != "." || SQLIdentifier.unquoted(tokens[1]) == "main"
    let kind = SQLStatementKind(of: sql, skippingExplain: true)
    // ROLLBACK TRANSACTION name TO savepoint: the name has no effect.
    self.kind = kind == .rollback && tokens.last == "to" ? .rollbackTo : kind
  }
}
