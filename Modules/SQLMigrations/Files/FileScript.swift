internal import SQLSyntax

/// The statements of a migration file, without those whose work the migrator does itself.
///
/// The migrator commits a migration and its record in one transaction, so it drops a `BEGIN` and `COMMIT` around the
/// whole file and rejects any others. SQLite ignores `PRAGMA foreign_keys` inside a transaction
/// (https://sqlite.org/pragma.html#pragma_foreign_keys), so the pragma determines the migration's foreign key mode.
struct FileScript {
  let path: String
  private(set) var statements: [SQLStatement] = []
  /// The mode that `PRAGMA foreign_keys` requests; nil if the file does not contain the pragma.
  private(set) var foreignKeyMode: MigrationFile.ForeignKeyMode?
  /// The notes about dropped statements, in the order of the file's lines.
  private(set) var notices: [String] = []
  private(set) var problems: [MigrationProblem] = []

  init(path: String) { self.path = path }

  mutating func review(
    _ found: [SQLStatement], _ sections: Sections, _ directives: MigrationDirectives, runsInTransaction: Bool
  ) {
    if runsInTransaction {
      reviewTransactional(found)
    } else {
      reviewFree(found)
    }
    if let body = found.first(where: { Self.hasDollarQuote($0.text) }) {
      // The END of the body would be called a COMMIT.
      problems = [MigrationProblem(.dollarQuote, path: path, position: body.position)]
    } else if let line = found.first(where: { SQLSource($0.text).tokens.first?.isWord("delimiter") ?? false }) {
      // So would the END of a trigger that another delimiter ends.
      problems = [MigrationProblem(.shellCommand("DELIMITER"), path: path, position: line.position)]
    }
    if let up = sections.upOffset, let first = found.first, first.utf8Range.lowerBound < up {
      refuse(first, .statementBeforeUp)
    }
    if let asked = directives.foreignKeyMode, let foreignKeyMode, asked != foreignKeyMode,
      let pragma = found.first(where: { $0.kind.foreignKeysValue != nil })
    {
      refuse(pragma, .contradictoryForeignKeys)
    }
  }

  /// Reviews the statements of a file that the migrator runs in a transaction.
  private mutating func reviewTransactional(_ found: [SQLStatement]) {
    let kinds = found.map(Self.kind)
    let wrapper = Self.wrapper(of: kinds)
    let ends = [wrapper?.lowerBound, wrapper?.upperBound]
    let work = kinds.indices.filter { !kinds[$0].isPragma && !ends.contains($0) }
    for (index, (statement, kind)) in zip(found, kinds).enumerated() {
      if index == wrapper?.lowerBound {
        note(
          statement,
          "the BEGIN and COMMIT around the file are not run: the migrator commits a migration together with its record")
      } else if index == wrapper?.upperBound {
        continue
      } else if let value = kind.foreignKeysValue {
        guard let isOn = foreignKeysSwitch(statement, value) else { continue }
        reviewForeignKeys(
          statement, isOn: isOn, isBeforeWork: index < work.first ?? found.count,
          isAfterWork: index > work.last ?? -1)
      } else if let keyword = kind.transactionKeyword {
        let isLeftOpen = kind == .begin && !kinds.contains(.commit)
        let isOfBlock = Self.isEnd(statement) && !kinds.contains(.begin)
        refuse(statement, isLeftOpen ? .transactionLeftOpen : .transactionControl(isOfBlock ? "END" : keyword))
      } else {
        keep(statement, kind, isInTransaction: true)
      }
    }
  }

  /// Keeps all statements of a file that runs without a transaction; the file must end each transaction that it begins.
  private mutating func reviewFree(_ found: [SQLStatement]) {
    var open: SQLStatement?
    for statement in found {
      let kind = Self.kind(of: statement)
      if let keyword = kind.transactionKeyword {
        if (kind == .begin) == (open == nil) {
          open = kind == .begin ? statement : nil
          statements.append(statement)
        } else {
          let isOfBlock = open == nil && Self.isEnd(statement)
          refuse(statement, isOfBlock ? .transactionControl("END") : .unpairedTransaction(keyword))
        }
      } else if let value = kind.foreignKeysValue, open != nil, let isOn = foreignKeysSwitch(statement, value) {
        if !isOn {
          refuse(statement, .misplacedForeignKeys)
        } else {
          note(statement, "PRAGMA foreign_keys = ON is not run: SQLite ignores it inside a transaction")
        }
      } else {
        keep(statement, kind, isInTransaction: open != nil)
      }
    }
    if let open { refuse(open, .transactionLeftOpen) }
  }

  /// Returns the kind of a statement; `other` for one that may be left out, but has more words than belong to it.
  ///
  /// A semicolon is missing there: the rest would be lost. The engine then finds the place.
  private static func kind(of statement: SQLStatement) -> SQLStatementKind {
    let kind = statement.kind
    guard kind.transactionKeyword != nil || kind.foreignKeysValue != nil else { return kind }
    let words = SQLSource(statement.text).tokens.map(\.folded).filter { $0 != ";" }.dropFirst()
    guard let equals = words.firstIndex(where: { ["=", "==", "("].contains($0) }), kind.foreignKeysValue != nil else {
      let options = words.prefix { ["deferred", "immediate", "exclusive", "transaction"].contains($0) }
      // A name may follow `TRANSACTION`.
      return words.count - options.count <= (options.last == "transaction" ? 1 : 0) ? kind : .other
    }
    let value = words[(equals + 1)...].drop { ["+", "-"].contains($0) }
    return value.count == (words[equals] == "(" ? 2 : 1) ? kind : .other
  }

  /// Whether a statement begins with `END`, a synonym of `COMMIT` that ends blocks in other databases.
  private static func isEnd(_ statement: SQLStatement) -> Bool {
    SQLSource(statement.text).tokens.first?.isWord("end") ?? false
  }

  /// Returns the indexes of a `BEGIN` and `COMMIT` around the whole file; nil if there are none.
  ///
  /// Only pragmas may be outside of this pair, and no other transaction may be inside.
  private static func wrapper(of kinds: [SQLStatementKind]) -> ClosedRange<Int>? {
    guard let first = kinds.firstIndex(where: { !$0.isPragma }), kinds[first] == .begin,
      let last = kinds.lastIndex(where: { !$0.isPragma }), kinds[last] == .commit
    else { return nil }
    return kinds[(first + 1)..<last].contains { $0.transactionKeyword != nil } ? nil : first...last
  }

  /// Whether a `PRAGMA foreign_keys` switches enforcement on; nil for an unknown value, which is reported as a problem
  /// (https://sqlite.org/pragma.html#syntax).
  private mutating func foreignKeysSwitch(_ statement: SQLStatement, _ value: String) -> Bool? {
    if ["on", "yes", "true", "1"].contains(value.lowercased()) { return true }
    if ["off", "no", "false", "0"].contains(value.lowercased()) { return false }
    refuse(statement, .unknownForeignKeysValue(value))
    return nil
  }

  /// Uses `PRAGMA foreign_keys` as the mode of the whole file, if that is possible.
  ///
  /// ON can be the mode only at the beginning of the file. Between statements, it usually ends a part that began with
  /// OFF; if foreign keys were enforced in the whole file, DROP TABLE would delete rows of other tables. OFF can be the
  /// mode at any position, since the migrator checks the foreign keys before the commit and finds each row that
  /// enforcement would have rejected, deleted or changed.
  private mutating func reviewForeignKeys(
    _ statement: SQLStatement, isOn: Bool, isBeforeWork: Bool, isAfterWork: Bool
  ) {
    let pragma = "PRAGMA foreign_keys = \(isOn ? "ON" : "OFF") is not run: "
    if isBeforeWork, isOn {
      foreignKeyMode = .immediate
      note(statement, pragma + "foreign keys are enforced while the migration runs")
    } else if !isOn, isBeforeWork || !isAfterWork {
      guard isBeforeWork || foreignKeyMode != .immediate else { return refuse(statement, .contradictoryForeignKeys) }
      if foreignKeyMode != .deferred {
        note(statement, pragma + "foreign keys are off while the migration runs, and checked before it commits")
      }
      foreignKeyMode = .deferred
    } else if foreignKeyMode == nil || !isOn {
      // The note about the pragma at the beginning also covers its counterpart at the end.
      note(
        statement,
        pragma
          + (isAfterWork
            ? "the migrator restores the setting after each migration"
            : "SQLite ignores it inside a transaction, and foreign keys are checked before the migration commits"))
    }
  }

  private mutating func keep(_ statement: SQLStatement, _ kind: SQLStatementKind, isInTransaction: Bool) {
    if statement.text.hasPrefix("#") {
      refuse(statement, .shellComment)
    } else if Self.hasMergeConflict(statement.text) {
      refuse(statement, .mergeConflict)
    } else if statement.text.hasPrefix(".") {
      refuse(statement, .shellCommand(String(statement.text.prefix { !$0.isWhitespace })))
    } else if let name = kind.misplacedPragma {
      refuse(statement, .misplacedPragma(name))
    } else if isInTransaction, let name = kind.needsNoTransaction {
      refuse(statement, .needsNoTransaction(name))
    } else {
      statements.append(statement)
    }
  }

  /// Whether a statement contains a quote of PostgreSQL, such as `$$` or `$body$`.
  private static func hasDollarQuote(_ sql: String) -> Bool {
    guard sql.utf8.contains(UInt8(ascii: "$")) else { return false }
    let tokenizer = SQLTokenizer(sql)
    return tokenizer.contains { token in
      guard token.kind == .illegal || token.kind == .variable else { return false }
      let text = tokenizer.text(of: token)
      let next = tokenizer.bytes.dropFirst(token.range.upperBound).first
      return text.hasPrefix("$") && (text == "$" ? next == UInt8(ascii: "$") : text.hasSuffix("$"))
    }
  }

  /// Whether a line of a statement is a mark that a merge leaves in a file, and not a part of a string.
  private static func hasMergeConflict(_ sql: String) -> Bool {
    // A search for the whole mark would take as long as all other work on a large statement.
    guard sql.utf8.contains(where: { [UInt8(ascii: "<"), UInt8(ascii: ">")].contains($0) }) else { return false }
    let tokenizer = SQLTokenizer(sql)
    return tokenizer.contains { token in
      guard token.kind == .operator else { return false }
      let line = tokenizer.bytes[token.range.lowerBound...].prefix(7)
      let isFirst = token.range.lowerBound == 0 || tokenizer.bytes[token.range.lowerBound - 1] == 0x0A
      return isFirst && (line.allSatisfy { $0 == UInt8(ascii: "<") } || line.allSatisfy { $0 == UInt8(ascii: ">") })
        && line.count == 7
    }
  }

  private mutating func refuse(_ statement: SQLStatement, _ kind: MigrationProblem.Kind) {
    problems.append(MigrationProblem(kind, path: path, position: statement.position))
  }

  private mutating func note(_ statement: SQLStatement, _ text: String) {
    notices.append("\(path):\(statement.line): \(text)")
  }
}

extension SQLStatementKind {
  fileprivate var isPragma: Bool { if case .pragma = self { true } else { false } }

  /// The new value of `PRAGMA foreign_keys`; nil if the pragma only queries the value, and for other statements.
  fileprivate var foreignKeysValue: String? {
    guard case .pragma("foreign_keys", true, let argument) = self else { return nil }
    return argument ?? ""
  }

  /// The keyword of a statement that begins or ends a transaction; nil for savepoints and other statements.
  fileprivate var transactionKeyword: String? {
    switch self {
    case .begin: "BEGIN"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    default: nil
    }
  }

  /// The name of a PRAGMA that sets or changes a key, converts an encrypted file, or changes the encoding of a database,
  /// which has the migrator's table already; nil for other statements.
  fileprivate var misplacedPragma: String? {
    let names = ["key", "hexkey", "textkey", "rekey", "hexrekey", "textrekey"]
    return switch self {
    case .pragma("cipher_migrate", _, _): "cipher_migrate"
    case .pragma(let name, true, _) where names.contains(name) || changesEncoding: name
    default: nil
    }
  }

  /// The name of a statement that fails or has no effect inside a transaction; nil for other statements
  /// (https://sqlite.org/lang_vacuum.html, https://sqlite.org/lang_attach.html, https://sqlite.org/pragma.html).
  fileprivate var needsNoTransaction: String? {
    switch self {
    case .vacuum: return "VACUUM"
    case .attach: return "ATTACH"
    case .detach: return "DETACH"
    case .pragma("wal_checkpoint", _, _): return "PRAGMA wal_checkpoint"
    case .pragma(let name, true, _):
      let names = ["journal_mode", "page_size", "auto_vacuum", "synchronous", "temp_store"]
      return names.contains(name) ? "PRAGMA \(name)" : nil
    default: return nil
    }
  }
}
