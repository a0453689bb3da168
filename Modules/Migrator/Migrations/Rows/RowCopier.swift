internal import SQLSyntax

struct RowCopier {
  private let source: Database
  private let copy: Database
  private let select: String
  /// The INSERT without its values.
  private let insertion: String
  private var insert: String { "\(insertion) VALUES (\(columnNames.map { _ in "?" }.joined(separator: ", ")))" }
  /// The names of the copied columns in the source, in order.
  let columnNames: [String]

  /// Whether the table's columns hide every name of the rowid (`rowid`, `oid` and `_rowid_`), so that it cannot be
  /// read.
  let hidesRowIDs: Bool

  /// Creates a copier for some columns, each with its name in the source and in the copy, or for all.
  init(
    of table: String, from source: Database, to newTable: String, in copy: Database,
    columns: [(old: String, new: String)]? = nil
  ) throws {
    // Generated columns are computed again (https://www.sqlite.org/gencol.html).
    let columns =
      try columns
      ?? source.connection.columns(in: table)?.filter { !$0.isGenerated && !$0.isHidden }.map { ($0.name, $0.name) }
      ?? []
    self.source = source
    self.copy = copy
    let (oldName, newName) = ("main.\(table.quotedIdentifier)", "main.\(newTable.quotedIdentifier)")
    var names = columns.map(\.old)
    var (old, new) = (names.map(\.quotedIdentifier), columns.map(\.new.quotedIdentifier))
    let rowID = try source.rowIDName(of: table)
    hidesRowIDs = rowID == nil
    // An INTEGER PRIMARY KEY is an alias of the rowid: setting both to the same value is allowed.
    if let rowID, try Self.hasColumn(rowID, oldName, source), try Self.hasColumn(rowID, newName, copy) {
      names.insert(rowID, at: 0)
      old.insert(rowID, at: 0)
      new.insert(rowID, at: 0)
    }
    select = "SELECT \(old.joined(separator: ", ")) FROM \(oldName)"
    // OR ABORT overrides the table's own ON CONFLICT clauses, which could replace rows.
    insertion = "INSERT OR ABORT INTO \(newName) (\(new.joined(separator: ", ")))"
    columnNames = names
  }

  /// Copies all rows, or the first ones up to a limit, and returns the number of rows that the copy rejected, each of which
  /// is passed to a function with its error.
  func copy(limit: Int?, onRow: () -> Void, onRejection: (DatabaseError) -> Void = { _ in }) throws -> Int {
    let select = limit.map { "\(self.select) LIMIT \($0)" } ?? self.select
    guard let reader = try source.connection.prepare(select, utf8Offset: 0).statement,
      let writer = try copy.connection.prepare(insert, utf8Offset: 0).statement
    else { return 0 }
    defer { reader.reset() }
    var failures = 0
    // Text can be written as bytes, which need not be UTF-8, if no text has another encoding.
    let keepsBytes = try [source, copy].allSatisfy { db in
      try Bool.fetchOne(db, sql: "SELECT length(CAST('a' AS BLOB)) = 1") ?? false
    }
    var rawWriters: [[Int]: any DatabaseStatement] = [:]
    while try reader.step() {
      try source.checkCancellation()
      var broken: [Int] = []
      for column in columnNames.indices {
        let value = DatabaseValue(reader.value(at: column))
        if case .text(let text) = value, case .text(let bytes) = reader.value(at: column),
          !text.utf8.elementsEqual(bytes)
        {
          broken.append(column)
        }
        try writer.bind(value, at: column)
      }
      var writer = writer
      if keepsBytes, !broken.isEmpty, let rawWriter = try rawWriters[broken] ?? rawWriter(broken) {
        rawWriters[broken] = rawWriter
        writer = rawWriter
        for column in columnNames.indices {
          let value = reader.value(at: column)
          if broken.contains(column), case .text(let bytes) = value {
            try writer.bind(DatabaseValue(.blob(UnsafeRawBufferPointer(bytes))), at: column)
          } else {
            try writer.bind(DatabaseValue(value), at: column)
          }
        }
      }
      do {
        defer { writer.reset() }
        while try writer.step() {}
      } catch {
        guard case .constraint = error.condition else { throw error }
        failures += 1
        onRejection(error)
      }
      onRow()
    }
    return failures
  }

  /// Returns a statement that inserts bytes of some columns as text.
  private func rawWriter(_ broken: [Int]) throws -> (any DatabaseStatement)? {
    let places = columnNames.indices.map { broken.contains($0) ? "CAST(? AS TEXT)" : "?" }.joined(separator: ", ")
    return try copy.connection.prepare("\(insertion) VALUES (\(places))", utf8Offset: 0).statement
  }

  /// Inserts a row of NULLs into the copy, which shows whether its definition can be evaluated at all.
  func insertNulls() throws(DatabaseError) {
    guard let writer = try copy.connection.prepare(insert, utf8Offset: 0).statement else { return }
    defer { writer.reset() }
    while try writer.step() {}
  }

  /// Returns whether the table has a column of this name.
  ///
  /// The names of the rowid (`rowid`, `oid` and `_rowid_`) count as columns, except in a WITHOUT ROWID table.
  private static func hasColumn(_ name: String, _ table: String, _ db: Database) throws -> Bool {
    do {
      // Without quotes: SQLite reads an unknown name in double quotes as a string.
      _ = try db.connection.prepare("SELECT \(name) FROM \(table)", utf8Offset: 0)
      return true
    } catch {
      guard error.condition == .statement else { throw error }
      return false
    }
  }
}

extension Database {
  /// Replaces the rows of a table with rows of another database, including their rowids.
  ///
  /// Triggers fire, and foreign key actions run if foreign keys are enforced.
  ///
  /// - Parameters:
  ///   - oldTable: The table's name in the other database; nil for the same name.
  ///   - columns: The columns to copy, each with its name in the other table and in this one; nil for all.
  /// - Returns: The number of rows that this table rejected.
  package func replaceRows(
    of table: String, from source: Database, in oldTable: String? = nil, columns: [(old: String, new: String)]? = nil,
    onRow: () -> Void = {}, onRejection: (DatabaseError) -> Void = { _ in }
  ) throws -> Int {
    try execute(sql: "DELETE FROM main.\(table.quotedIdentifier)")
    return try RowCopier(of: oldTable ?? table, from: source, to: table, in: self, columns: columns)
      .copy(limit: nil, onRow: onRow, onRejection: onRejection)
  }
}
