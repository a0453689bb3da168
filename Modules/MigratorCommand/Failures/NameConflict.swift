internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax
internal import SQLiteDialect

/// The object whose name a failed migration gives to another one, after a look at the database.
///
/// The advice never drops a table with rows: a run that was killed outside a transaction may have left a copy of a table, and
/// dropped the original.
enum NameConflict {
  /// The table of the statement has a column of this name, which no migration has made.
  case column
  /// The database lacks what the statement changes or removes, although an applied migration has made it.
  case gone
  /// The statement uses something that an applied migration has made, and that the database has no longer.
  case drifted(String)
  /// The database could not be examined.
  case unknown(String)
  /// The database has no such object: the run itself has made it.
  case madeByRun(String)
  /// A migration that is applied has made the object, or the column.
  case madeByMigration(kind: String, name: String)
  /// The object is the migrator's own table.
  case ledger(String)
  /// The object is not a table, or is a table without rows.
  case object(SchemaObject)
  /// The object is a table with rows.
  case rows(String)

  /// Looks at the object.
  ///
  /// - Parameter open: A closure that opens the database; nil if there is no database.
  init(_ name: String, isTrigger: Bool, _ migrator: DatabaseMigrator, _ open: (() throws -> DatabaseQueue)?) {
    let isLedger = !isTrigger && name.asciiLowercased == migrator.ledgerTable.asciiLowercased
    self = isLedger ? .ledger(name) : .unknown(name)
    guard !isLedger, let queue = try? open?() else { return }
    // Without the look, the advice is more careful; the failure of the migration is what is reported.
    if let found = try? queue.read({ try Self.found(name, isTrigger: isTrigger, migrator, $0) }) { self = found }
    try? queue.close()
  }

  /// Looks at what a statement changes, removes or uses; nil if the statement itself is at fault.
  ///
  /// - Parameters:
  ///   - column: The column that exists already; nil if something does not exist.
  ///   - missing: The name of what does not exist.
  ///   - open: A closure that opens the database; nil if there is no database.
  init?(
    changing sql: String, column: String?, missing: String = "", _ migrator: DatabaseMigrator,
    _ open: (() throws -> DatabaseQueue)?
  ) {
    var table: String?
    var changesSchema = true
    switch (try? SQLTree(parsing: sql))?.statement {
    case .alterTable(let change): table = change.table.name.value
    case .drop: break
    default: changesSchema = false
    }
    // As above, the failure of the look is not reported.
    let queue = try? open?()
    defer { try? queue?.close() }
    let look = try? queue?.read { db in
      let columns = try table.flatMap { try db.connection.columns(in: $0) }.map { $0.map(\.name.asciiLowercased) } ?? []
      return try (reasons: migrator.differencesFromMigrations(db), columns: Set(columns))
    }
    // The columns that the applied migrations make, if they are not those of the table.
    var expected: Set<String>?
    var lost: Set<String> = []
    for reason in look?.reasons ?? [] {
      switch reason {
      case .differentObject(.table, let name, let sql, let actual):
        guard let wanted = Self.columns(sql) else { continue }
        if name.asciiLowercased == table?.asciiLowercased { expected = wanted }
        if !changesSchema { lost.formUnion(wanted.subtracting(Self.columns(actual) ?? wanted)) }
      case .missingObject(_, let name): lost.insert(name.asciiLowercased)
      default: break
      }
    }
    if let column {
      self = .column
      guard let look else { return }
      if !look.columns.contains(column.asciiLowercased) { self = .madeByRun(column) }
      if (expected ?? look.columns).contains(column.asciiLowercased) {
        self = .madeByMigration(kind: "column", name: column)
      }
      return
    }
    guard changesSchema else {
      // The message may give the schema or the table of the name.
      let parts = missing.split(separator: ".", omittingEmptySubsequences: false)
      let names = parts.indices.map { SQLIdentifier.unquoted(parts[$0...].joined(separator: ".")) }
      guard let name = names.first(where: { lost.contains($0.asciiLowercased) }) else { return nil }
      self = .drifted(name)
      return
    }
    lost.formUnion(expected?.subtracting(look?.columns ?? []) ?? [])
    guard SQLSource(sql).tokens.contains(where: { lost.contains($0.folded) }) else { return nil }
    self = .gone
  }

  /// Returns the columns of a definition of a table, in lower case; nil for other definitions.
  private static func columns(_ sql: String) -> Set<String>? {
    guard case .createTable(let definition)? = (try? SQLTree(parsing: sql))?.statement else { return nil }
    return Set(definition.columns.map(\.name.folded))
  }

  private static func found(
    _ name: String, isTrigger: Bool, _ migrator: DatabaseMigrator, _ db: Database
  ) throws -> NameConflict {
    let objects = try db.connection.schema().objects
    let named = objects.first { ($0.kind == .trigger) == isTrigger && $0.name.asciiLowercased == name.asciiLowercased }
    guard let object = named else { return .madeByRun(name) }
    if try migrator.appliedMigrations(db).isEmpty == false,
      try !migrator.objectsOfNoMigration(db).contains(where: { $0.kind == object.kind && $0.name == object.name })
    {
      return .madeByMigration(kind: object.kind.rawValue, name: object.name)
    }
    guard object.kind == .table else { return .object(object) }
    // A table that cannot be read may have rows.
    let hasRows = try DatabaseError.ifPossible { try db.hasRows(in: object.name) } ?? true
    return hasRows ? .rows(object.name) : .object(object)
  }

  /// Whether rows may be lost.
  var isOfRows: Bool {
    switch self {
    case .rows, .unknown: true
    case .column, .gone, .drifted, .madeByRun, .madeByMigration, .object, .ledger: false
    }
  }

  /// The next step if the object is neither made by hand nor a left-over; nil if it may be.
  var refutation: String? {
    switch self {
    case .madeByRun(let name):
      "An earlier statement of this run makes \"\(name)\": remove one of the two, or choose another name."
    case .madeByMigration(let kind, let name):
      "An applied migration has made the \(kind) \"\(name)\": choose another name, or change that \(kind) in place of making "
        + "one."
    case .ledger(let name):
      "The migrator records the applied migrations in \"\(name)\": choose another name for the table, or another ledger with --ledger."
    default: nil
    }
  }

  /// The advice about an object that may be a left-over; nil if there is none.
  var warning: String? {
    switch self {
    case .object: "If it is a left-over, drop it."
    case .unknown(let name):
      "If it is a left-over, first see what it is: \"\(name)\" may be a table with the only copy of its rows. Rename such a "
        + "table."
    case .rows(let name):
      "Do not drop the table \"\(name)\": it has rows. If it is a left-over, rename it, and compare the rows later."
    case .column, .gone, .drifted, .madeByRun, .madeByMigration, .ledger: nil
    }
  }
}

// The reports of such failures.
extension FailureReport {
  /// Whether a conflict may explain a failure: the migrations run on a database with other contents than their own.
  var findsConflicts: Bool { ["migrate", "plan", "rebuild"].contains(command) && preface == nil }

  /// Returns what a migration makes although the database already has it: it had a schema before it had migrations, or was
  /// changed by hand, by another program or by a killed run; nil if the failure has another cause.
  func conflict(_ failure: MigrationFailure) -> NameConflict? {
    let error = (failure.underlying as? SQLMigration.StatementError)?.underlying ?? failure.underlying
    guard let error = error as? DatabaseError else { return nil }
    switch StatementFault(error) {
    case .objectExists(let name):
      return NameConflict(name, isTrigger: error.message.hasPrefix("trigger "), migrator, openDatabase)
    case .duplicateColumn(let name):
      return NameConflict(changing: error.sql ?? "", column: name, migrator, openDatabase)
    default:
      // "no such KIND: NAME", and of an INSERT: "table TABLE has no column named NAME"
      let words = error.message.split(separator: " ")
      let isOfColumn = error.message.contains(" has no column named ")
      guard error.message.hasPrefix("no such ") || isOfColumn, words.count > 3 else { return nil }
      let missing = words.dropFirst(isOfColumn ? words.count - 1 : 3).joined(separator: " ")
      return NameConflict(changing: error.sql ?? "", column: nil, missing: missing, migrator, openDatabase)
    }
  }

  func existingRemedy(_ name: String, _ conflict: NameConflict, _ usual: String?) -> String {
    if case .drifted(let name) = conflict {
      return
        "An applied migration has made \"\(name)\", but the database has it no longer: it was changed by hand, or by another program. "
        + "`\(toolName) diff` lists such changes. Undo this one; if it is meant to stay, make it with a migration. Then \(again)"
    }
    if let reason = conflict.refutation { return reason + " Then \(again)" }
    let rest = usual.map { " Otherwise " + $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
    guard name != migrator.migrations.first else {
      return
        "If the database had this schema before it had migrations, record the migrations without running them: use "
        + "`\(toolName) baseline`, or `\(toolName) adopt` to import another tool's history." + rest
    }
    let changesRows = files?.first { $0.identifier == name }.map(Linter.changesRows) ?? false
    let isDone =
      if case .gone = conflict {
        "If the changes of \(name) are in the database already, because they were"
      } else {
        "If the database already has everything that \(name) makes, because it was"
      }
    return
      isDone
      + " made by hand or by another program, record the migration without running it: `\(toolName) baseline --to \(name.shellWord)` compares the schema first"
      + (changesRows ? ", but not the rows that the file changes." : ".")
      + (conflict.warning.map { " " + $0 } ?? "") + rest
  }
}
