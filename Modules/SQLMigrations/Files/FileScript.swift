internal import SQLSyntax

/// The statements of a migration's file, parted from those that the migrator stands for.
///
/// A migration's changes and its record commit together, so a file's own `BEGIN` and `COMMIT` around everything are dropped,
/// and others refused. `PRAGMA foreign_keys` is ignored by SQLite inside a transaction
/// (https://sqlite.org/pragma.html#pragma_foreign_keys), so it becomes the migration's mode.
struct FileScript: Sendable {
  /// The statements to run.
  private(set) var statements: [SQLStatement] = []
  /// The mode that a directive, or `PRAGMA foreign_keys` at the beginning, stands for.
  private(set) var foreignKeyMode = MigrationFile.ForeignKeyMode.deferred
  /// Notes about statements that were not taken as they are, in the order of the file's lines.
  private(set) var notices: [String] = []
  /// The reasons why the file cannot be run, in the order of its lines.
  private(set) var problems: [MigrationProblem] = []

  private let path: String
  private var pragmaMode: MigrationFile.ForeignKeyMode?
  private var remarks: [(line: Int, text: String)] = []

  /// Parses the content of a file.
  init(_ content: FileContent, _ name: MigrationName) {
    path = name.path
    if let problem = content.problem {
      problems = [problem]
      return
    }
    problems = [content.settingProblem].compactMap(\.self) + content.sections.problems + content.directives.problems
    do {
      review(try SQLStatementSplitter.split(content.sections.closingStatements(of: content.text)), content)
    } catch {
      problems.append(MigrationProblem(.brokenSQL(error.kind), path: path, position: error.position))
    }
    foreignKeyMode = content.directives.foreignKeyMode ?? pragmaMode ?? .deferred
    notices = remarks.sorted { $0.line < $1.line }.map(\.text)
    // https://documentation.red-gate.com/fd/migration-placeholders-275218553.html
    if name.layout == .versioned, statements.contains(where: { $0.text.contains("${") }) {
      notices.append("\(path): contains \"${\"; placeholders are not replaced")
    }
    let start = SQLTextPosition(line: 1, column: 1)
    problems.sort { ($0.position ?? start) < ($1.position ?? start) }
  }

  private mutating func review(_ found: [SQLStatement], _ content: FileContent) {
    let entries = found.map { Entry(statement: $0, kind: $0.kind) }
    if content.runsInTransaction {
      reviewTransactional(entries)
    } else {
      reviewFree(entries)
    }
    if let up = content.sections.upOffset, let first = entries.first, first.statement.utf8Range.lowerBound < up {
      refuse(first, .statementBeforeUp)
    }
    if let asked = content.directives.foreignKeyMode, let pragmaMode, asked != pragmaMode,
      let pragma = entries.first(where: { $0.kind.foreignKeysValue != nil })
    {
      refuse(pragma, .contradictoryForeignKeys)
    }
  }

  private struct Entry {
    let statement: SQLStatement
    let kind: SQLStatementKind
  }

  /// A file that the migrator wraps in a transaction.
  private mutating func reviewTransactional(_ entries: [Entry]) {
    let wrapper = Self.wrapper(of: entries)
    if let wrapper {
      note(
        entries[wrapper.lowerBound],
        "BEGIN and COMMIT around the file are dropped: the migrator commits a migration together with its record")
    }
    let work = entries.indices.filter { index in
      !entries[index].kind.isPragma && index != wrapper?.lowerBound && index != wrapper?.upperBound
    }
    for (index, entry) in entries.enumerated() where index != wrapper?.lowerBound && index != wrapper?.upperBound {
      if let value = entry.kind.foreignKeysValue {
        reviewForeignKeys(
          entry, value, isBeforeWork: index < work.first ?? entries.count, isAfterWork: index > work.last ?? -1)
      } else if let keyword = entry.kind.transactionKeyword {
        refuseControl(entry, keyword, hasCommit: entries.contains { $0.kind == .commit })
      } else {
        keep(entry, isInTransaction: true)
      }
    }
  }

  /// A file that asks for no transaction: all is kept, in its order, as long as it closes what it opens.
  private mutating func reviewFree(_ entries: [Entry]) {
    var open: Entry?
    for entry in entries {
      switch entry.kind {
      case .begin where open == nil:
        open = entry
        statements.append(entry.statement)
      case .commit where open != nil, .rollback where open != nil:
        open = nil
        statements.append(entry.statement)
      case .begin, .commit, .rollback:
        refuse(entry, .transactionControl(entry.kind.transactionKeyword ?? ""))
      default:
        if entry.kind.foreignKeysValue != nil, open != nil {
          refuse(entry, .misplacedForeignKeys)
        } else {
          keep(entry, isInTransaction: open != nil)
        }
      }
    }
    if let open { refuse(open, .transactionLeftOpen) }
  }

  /// The places of the `BEGIN` and the `COMMIT` around a file's statements: only pragmas stand outside, and no other
  /// transaction inside.
  private static func wrapper(of entries: [Entry]) -> ClosedRange<Int>? {
    guard let first = entries.firstIndex(where: { !$0.kind.isPragma }), entries[first].kind == .begin,
      let last = entries.lastIndex(where: { !$0.kind.isPragma }), entries[last].kind == .commit
    else { return nil }
    let inner = entries[(first + 1)..<last]
    return inner.contains { $0.kind.transactionKeyword != nil } ? nil : first...last
  }

  private mutating func reviewForeignKeys(_ entry: Entry, _ value: String, isBeforeWork: Bool, isAfterWork: Bool) {
    guard let isOn = Self.isOn(value) else {
      refuse(entry, .unknownForeignKeysValue(value))
      return
    }
    if isBeforeWork {
      pragmaMode = isOn ? .immediate : .deferred
      let meaning =
        isOn
        ? "foreign keys are enforced while the migration runs"
        : "foreign keys are off while the migration runs, and checked before it commits"
      note(entry, "PRAGMA foreign_keys = \(value) is dropped: \(meaning)")
    } else if isAfterWork {
      // The pair of a pragma at the beginning was noted with it.
      if pragmaMode == nil || !isOn {
        note(entry, "PRAGMA foreign_keys = \(value) is dropped: the migrator restores the setting after each migration")
      }
    } else {
      refuse(entry, .misplacedForeignKeys)
    }
  }

  private mutating func refuseControl(_ entry: Entry, _ keyword: String, hasCommit: Bool) {
    let isLeftOpen = entry.kind == .begin && !hasCommit
    refuse(entry, isLeftOpen ? .transactionLeftOpen : .transactionControl(keyword))
  }

  private mutating func keep(_ entry: Entry, isInTransaction: Bool) {
    if let command = Self.shellCommand(entry.statement) {
      refuse(entry, .shellCommand(command))
    } else if let name = entry.kind.encryptionPragma {
      refuse(entry, .encryptionPragma(name))
    } else if isInTransaction, let name = entry.kind.needsNoTransaction {
      refuse(entry, .needsNoTransaction(name))
    } else {
      statements.append(entry.statement)
    }
  }

  private mutating func refuse(_ entry: Entry, _ kind: MigrationProblem.Kind) {
    problems.append(MigrationProblem(kind, path: path, position: entry.statement.position))
  }

  private mutating func note(_ entry: Entry, _ text: String) {
    remarks.append((entry.statement.line, "\(path):\(entry.statement.line): \(text)"))
  }

  /// The first word of a statement that begins with a point, as `.read` does.
  private static func shellCommand(_ statement: SQLStatement) -> String? {
    guard statement.text.hasPrefix(".") else { return nil }
    return String(statement.text.prefix { !$0.isWhitespace })
  }

  /// The meaning of a boolean pragma's value (https://sqlite.org/pragma.html#syntax); nil for what is none.
  private static func isOn(_ value: String) -> Bool? {
    switch value.lowercased() {
    case "on", "yes", "true", "1": true
    case "off", "no", "false", "0": false
    default: nil
    }
  }
}

/// The meaning of a kind of statement for a migration.
extension SQLStatementKind {
  /// True for pragmas.
  fileprivate var isPragma: Bool {
    if case .pragma = self { true } else { false }
  }

  /// The value that `PRAGMA foreign_keys` is set to; nil when it only asks, and for other statements.
  fileprivate var foreignKeysValue: String? {
    guard case .pragma("foreign_keys", true, let argument) = self else { return nil }
    return argument ?? ""
  }

  /// The keyword of a statement that begins or ends a transaction; savepoints do neither inside one.
  fileprivate var transactionKeyword: String? {
    switch self {
    case .begin: "BEGIN"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    default: nil
    }
  }

  /// The name of a pragma that gives or changes a key, or converts an encrypted file.
  fileprivate var encryptionPragma: String? {
    guard case .pragma(let name, true, _) = self else {
      return self == .pragma(name: "cipher_migrate", hasArgument: false, argument: nil) ? "cipher_migrate" : nil
    }
    return ["key", "hexkey", "textkey", "rekey", "hexrekey", "textrekey", "cipher_migrate"].contains(name) ? name : nil
  }

  /// What the statement is called, if it fails or does nothing inside a transaction
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
