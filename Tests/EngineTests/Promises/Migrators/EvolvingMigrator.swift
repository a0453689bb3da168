import Migrator

/// The migrations of a program under development: at each step, one is added, moved, edited, renamed, merged or
/// removed.
struct EvolvingMigrator {
  /// The way in which a migration runs.
  enum Kind: CaseIterable {
    case wrapped, immediate, batched, unwrapped
  }

  /// A migration, which creates a table with two rows; one that merges others creates theirs.
  struct Step {
    var identifier: String
    var kind: Kind
    var tables: [(made: String, by: String)]
    var columns = "x"
  }

  let ledgerTable: String
  /// The prefix of all names.
  let prefix: String
  private(set) var steps: [Step] = []
  var adopted: AdoptedHistory?
  private var count = 0

  init(ledgerTable: String, prefix: String) { (self.ledgerTable, self.prefix) = (ledgerTable, prefix) }

  mutating func add(_ kind: Kind, at index: Int? = nil) {
    count += 1
    let identifier = "\(prefix)\(count)"
    let step = Step(identifier: identifier, kind: kind, tables: [("\(prefix)_t\(count)", identifier)])
    steps.insert(step, at: index ?? steps.count)
  }

  /// Changes the migrations at random, usually by adding one.
  ///
  /// - Returns: A short description of the change.
  mutating func change(using generator: inout some RandomNumberGenerator) -> String {
    let index = steps.indices.randomElement(using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0:
      add(.allCases.randomElement(using: &generator) ?? .wrapped, at: index)
      return "inserts"
    case 1:
      guard let index else { break }
      steps[index].columns += ", y"
      return "edits \(steps[index].identifier)"
    case 2:
      guard let index else { break }
      count += 1
      steps[index].identifier = "\(prefix)\(count)"
      return "renames"
    case 3:
      guard let index else { break }
      return "removes \(steps.remove(at: index).identifier)"
    case 4, 5:
      guard let index, index > 0 else { break }
      return merge(index, atEnd: .random(using: &generator))
    case 6: return "leaves all as it is"
    default: break
    }
    add(.allCases.randomElement(using: &generator) ?? .wrapped)
    return "adds"
  }

  private mutating func merge(_ index: Int, atEnd: Bool) -> String {
    let second = steps.remove(at: index)
    let first = steps.remove(at: index - 1)
    count += 1
    let merged = Step(
      identifier: "\(prefix)\(count)", kind: .wrapped,
      tables: [first, second].flatMap { step in step.tables.map { ($0.made, step.identifier) } })
    steps.insert(merged, at: atEnd ? steps.count : index - 1)
    return "merges \(first.identifier) and \(second.identifier)"
  }

  /// Returns the current migrator.
  func migrator(erasing: Bool = false, commits: DatabaseMigrator.Commits = .eachMigration) -> DatabaseMigrator {
    var migrator = DatabaseMigrator(ledgerTable: ledgerTable)
    migrator.eraseDatabaseOnSchemaChange = erasing
    migrator.commits = commits
    if let adopted { migrator.adopt(adopted) }
    for step in steps { Self.register(step, &migrator) }
    return migrator
  }

  private static func register(_ step: Step, _ migrator: inout DatabaseMigrator) {
    let make = { @Sendable (db: Database, table: String, columns: String) in
      try db.execute(sql: "CREATE TABLE \(table) (\(columns)); CREATE INDEX \(table)_i ON \(table) (x)")
    }
    let fill = { @Sendable (db: Database, table: String) in
      try db.execute(sql: "INSERT INTO \(table) (x) VALUES (1), (2)")
    }
    let (tables, columns) = (step.tables, step.columns)
    guard let table = tables.first?.made, tables.count == 1 else {
      return migrator.registerMigration(step.identifier, merging: Set(tables.map(\.by))) { db, applied in
        for (table, identifier) in tables where !applied.contains(identifier) {
          try make(db, table, columns)
          try fill(db, table)
        }
      }
    }
    switch step.kind {
    case .wrapped, .immediate:
      migrator.registerMigration(step.identifier, foreignKeyChecks: step.kind == .wrapped ? .deferred : .immediate) {
        db in
        try make(db, table, columns)
        try fill(db, table)
      }
    case .batched:
      migrator.registerBatchedMigration(step.identifier) { db, cursor in
        if cursor == .null {
          try make(db, table, columns)
          return .next(from: 1)
        }
        try fill(db, table)
        return .done
      }
    case .unwrapped:
      migrator.registerUnwrappedMigration(step.identifier) { db in
        try make(db, table, columns)
        try fill(db, table)
      }
    }
  }
}

extension Database {
  /// Returns everything that a migrator reports about a database and its own tables there, as text.
  func words(of migrator: DatabaseMigrator) -> [String] {
    func words(_ name: String, _ body: () throws -> Any) -> String {
      do {
        return "\(name): \(try body())"
      } catch {
        return "\(name): \(error)"
      }
    }
    return [
      words("applied") { try migrator.appliedIdentifiers(self).sorted() },
      words("completed") { try migrator.completedMigrations(self) },
      words("superseded") { try migrator.hasBeenSuperseded(self) },
      words("changes") { try migrator.schemaChanges(self) },
      words("history") {
        try migrator.history(self).map {
          ($0.identifier, $0.position, $0.fingerprint ?? "", $0.duration == nil, $0.objects.text)
        }
      },
      words("plan") { try migrator.plan(self).entries },
      words("unknown") { try migrator.plan(self).unknown },
      words("cursors") { try migrator.migrations.map { try migrator.batchCursor(of: $0, self) } },
      words("rows") {
        let made = try migrator.history(self).flatMap(\.objects.made).filter { $0.kind == .table }
        return try Set(made.map(\.name)).sorted().map { table in
          (table, try tableExists(table) ? Int.fetchOne(self, sql: "SELECT count(*) FROM \(table)") ?? 0 : -1)
        }
      },
    ]
  }
}
