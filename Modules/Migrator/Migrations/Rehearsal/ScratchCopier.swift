internal import SQLSyntax

/// A copier that copies a database into a scratch database, using only the backend protocols.
///
/// It copies tables, indexes, views and triggers by their stored definitions; rows with their rowids; the shadow tables
/// of virtual tables; the counters of AUTOINCREMENT; user version and application identifier; not statistics, temporary
/// objects or the file's settings (page size, text encoding, journal mode).
struct ScratchCopier {
  let source: Database
  let copy: Database
  let extent: RehearsalCopy
  /// The migrator whose ledger, and whose adopted histories, are copied even if no other rows are.
  let migrator: DatabaseMigrator
  /// The progress reporter, which counts rows; nil if the caller requested no reports.
  var progress: CopyProgress?
  private(set) var gaps: [RehearsalGap] = []

  private let objects: [SchemaObject]
  /// The names of the tables with the histories of migrations, in ASCII lowercase.
  private let histories: Set<String>

  init(from source: Database, to copy: Database, _ extent: RehearsalCopy, _ migrator: DatabaseMigrator) throws {
    self.source = source
    self.copy = copy
    self.extent = extent
    self.migrator = migrator
    histories = Set(([migrator.ledgerTable] + migrator.adopted.map(\.table)).map(\.asciiLowercased))
    objects = try source.connection.schema().objects
  }

  mutating func perform() throws {
    try copy.withoutForeignKeys {
      try copy.inTransaction {
        // Functions that prepare connections may have created objects.
        if try !copy.connection.schema().objects.isEmpty { try copy.eraseInTransaction() }
        try copyObjects()
        try copy.setUserVersion(source.userVersion)
        try copy.setApplicationID(source.applicationID)
        return .commit
      }
    }
  }

  /// Copies the objects.
  ///
  /// Indexes come after the rows, because that is faster; triggers come last, so that none fires.
  private mutating func copyObjects() throws {
    // Creating a virtual table may read ordinary tables, and also creates the shadow tables that contain its rows.
    let tables = objects.filter { $0.kind == .table && !$0.isShadow }
    let ordinary = try tables.filter { try !$0.isVirtual && create($0) }
    let virtual = try tables.filter { try $0.isVirtual && create($0) }
    for table in ordinary {
      let count = limit(of: table)
      if count != 0 { try copyRowsIfPossible(of: table, limit: count) }
    }
    try copyCounters()
    for table in virtual { try copyStorage(of: table) }
    for kind in [SchemaObject.Kind.index, .view, .trigger] {
      for object in objects where object.kind == kind && object.sql != nil { _ = try create(object) }
    }
  }

  /// Returns the number of rows to copy; `count` returns the row count of a table, or nil if it is not yet known.
  func rowCount(_ count: (String) -> Int?) throws -> Int {
    try objects.filter { $0.kind == .table && !$0.isVirtual }.reduce(0) { sum, table in
      // The rows of virtual tables are in their shadow tables, which are copied completely or not at all.
      guard !table.isShadow || extent == .allRows else { return sum }
      let limit = limit(of: table)
      guard limit != 0 else { return sum }
      let rows = try count(table.name) ?? source.rowCount(of: table) ?? 0
      return sum + min(rows, limit ?? rows)
    }
  }

  /// Returns the number of rows to copy from a table; nil for all.
  private func limit(of table: SchemaObject) -> Int? {
    // Without the rows of these tables, other migrations would be pending in the copy.
    if histories.contains(table.name.asciiLowercased) { return nil }
    return switch extent {
    case .schemaOnly: 0
    case .rows(let limit): max(limit, 0)
    case .allRows: nil
    }
  }

  private mutating func create(_ object: SchemaObject) throws -> Bool {
    guard let sql = object.sql else { return false }
    do {
      try copy.inSavepoint {
        try copy.execute(sql: sql)
        return .commit
      }
      return true
    } catch let error as DatabaseError where !error.concernsEverything {
      gaps.append(.object(kind: object.kind, name: object.name, reason: error.message))
      return false
    }
  }

  private mutating func copyRowsIfPossible(of table: SchemaObject, limit: Int?) throws {
    do {
      // Undoes what was copied before the failure: a part of the rows would look like all of them.
      try copy.inSavepoint {
        try copyRows(of: table.name, limit: limit)
        return .commit
      }
    } catch let error as DatabaseError where error.condition == .statement {
      gaps.append(.unreadableRows(table: table.name, reason: error.message))
    }
  }

  private mutating func copyRows(of table: String, limit: Int?) throws {
    let rows = try RowCopier(of: table, from: source, to: table, in: copy)
    if rows.hidesRowIDs { gaps.append(.rowIDs(table: table)) }
    let failures = try rows.copy(limit: limit) { progress?.addRow() }
    if failures > 0 { gaps.append(.rows(table: table, count: failures)) }
  }

  private mutating func copyCounters() throws {
    guard let counters = try source.connection.counterTable(), try copy.connection.counterTable() == counters else {
      return
    }
    try copy.execute(sql: "DELETE FROM main.\(counters.quotedIdentifier)")
    try copyRows(of: counters, limit: nil)
  }

  // MARK: Virtual tables

  private mutating func copyStorage(of table: SchemaObject) throws {
    let storage = VirtualTableStorage(of: table.name, among: objects)
    guard extent != .schemaOnly, !storage.parts.isEmpty else { return }
    guard extent == .allRows else {
      return gaps.append(.virtualTableRows(table: table.name, reason: "a partial copy of its storage would not work"))
    }
    if let reason = try copy.replaceStorage(storage, from: source, onRow: { progress?.addRow() }) {
      gaps.append(.virtualTableRows(table: table.name, reason: reason))
    }
  }
}

extension Database {
  /// Runs a closure with a scratch database that has the schema of this database, and the parts of it that are missing there.
  package func withSchemaCopy<Value>(_ body: (Database, [RehearsalGap]) throws -> Value) throws -> Value {
    try withScratch(label: "scratch copy") { scratch in
      try scratch.writeWithoutTransaction { copy in
        var copier = try ScratchCopier(from: self, to: copy, .schemaOnly, DatabaseMigrator())
        try copier.perform()
        return try body(copy, copier.gaps)
      }
    }
  }
}

/// A reporter of the progress of copying a database, at most ten times a second.
final class CopyProgress {
  /// The number of rows between two readings of the clock: reading it for each row could take longer than copying the
  /// row.
  private static let rowsBetweenReads = 64

  private let totalRowCount: Int
  private let events: (MigrationEvent) -> Void
  private var pace = ReportPace()
  private var rowCount = 0

  init(totalRowCount: Int, events: @escaping (MigrationEvent) -> Void) {
    self.totalRowCount = totalRowCount
    self.events = events
  }

  func addRow() {
    rowCount += 1
    guard rowCount.isMultiple(of: Self.rowsBetweenReads), let elapsed = pace.elapsedIfDue() else { return }
    // The counters of AUTOINCREMENT are copied, too, but were not counted.
    events(.copying(rowCount: min(rowCount, totalRowCount), totalRowCount: totalRowCount, elapsed: elapsed))
  }
}
