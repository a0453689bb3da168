internal import SQLSyntax

/// The part of a watch that counts the values which the statements of a migration drop, overwrite or delete, and that follows the
/// rows whose places others take.
///
/// It is a value, which a rollback to a savepoint restores.
struct ValueWatch {
  /// A table from which a statement removes values, before it does.
  struct Target {
    /// The current name, in ASCII lowercase.
    let name: String
    /// The name before the migration, in ASCII lowercase; nil for a table of the migration itself.
    let original: String?
    /// Whether the table existed before the run.
    let isOld: Bool
    /// The name before the run, as it is written.
    let title: String
    let statement: StatementOccurrence
    /// Returns the number of rows that have been removed from the table.
    let removedCount: () throws -> Int
  }

  private let db: Database
  private let reader: WatchReader
  private let keepers: RowLossReview.Keepers?
  private let migration: String

  private var losses = ValueLosses()
  private var missing = MissingRows()

  /// Creates the watch of a migration, which has not begun.
  init(_ db: Database, _ reader: WatchReader, _ keepers: RowLossReview.Keepers?, migration: String) {
    (self.db, self.reader, self.keepers, self.migration) = (db, reader, keepers, migration)
  }

  /// Whether nothing has been counted.
  var isEmpty: Bool { losses.list.isEmpty }

  /// Renames a column of a table.
  mutating func rename(_ column: String, to newName: String, of original: String?) {
    losses.rename(column, to: newName, of: original)
    if let original { missing.rename(column, to: newName, of: original) }
  }

  // MARK: Dropped values

  /// Counts the values that none of their keepers has, before a statement drops a column, or the table if the column is nil.
  mutating func countDropped(_ column: String?, of target: Target) throws {
    try reader.reserveWriting()
    try reader.reading {
      let isTemporary = try target.original == nil && db.connection.columns(in: target.name, inSchema: "temp") != nil
      let place = ValueKeeper.Table(target.name, isTemporary: isTemporary)
      let described = try db.valueColumns(in: place)
      let places = places(of: column.map { [$0] } ?? described.map(\.name), target)
      let values = ValueCount(db, place)
      if let original = target.original {
        try losses.end(column, of: original, values, removedCount: target.removedCount)
        if column == nil {
          try missing.endNaming(of: original, values)
          missing.add(try values.missingRowCount(described, places), of: original)
        }
      }
      for column in described {
        guard let places = places[column.name.asciiLowercased] else { continue }
        let count = counting(column, of: described, places)
        try losses.add(lost(column, target, isOverwritten: false, key: []), values, count, in: nil, isComplete: true)
      }
    }
  }

  // MARK: Overwritten values

  /// Counts the values of the columns that a statement is the first to overwrite.
  ///
  /// - Parameter isCounted: Whether the values of all columns have been counted.
  /// - Returns: Whether they have been counted now.
  mutating func countOverwritten(
    _ overwriting: SQLOverwriting, of target: Target, hasTriggers: Bool, isCounted: Bool
  ) throws -> Bool {
    let columns = overwriting.columns
    if losses.list.contains(where: \.isOfDeleted) {
      try reader.reading { try losses.forgetRestored(columns, of: target.original, reader.values(target.name)) }
    }
    try endBeforeMove(target, of: columns)
    // A trigger may empty the columns in other rows.
    let emptied: [String: SQLRowQuery?] =
      hasTriggers
      ? Dictionary(columns.map { ($0, nil) }) { first, _ in first } : overwriting.emptied.mapValues { $0 }
    if columns.isEmpty ? isCounted : emptied.isEmpty { return isCounted }
    let count = losses.list.count
    try reader.reserveWriting()
    try reader.reading {
      let values = reader.values(target.name)
      let described = try db.valueColumns(in: ValueKeeper.Table(target.name, isTemporary: false))
      let places = places(of: described.map(\.name), target)
      let key = try values.key(replacing: overwriting.inserted)
      for column in described {
        let name = column.name.asciiLowercased
        guard let places = places[name], emptied.isEmpty || emptied.keys.contains(name),
          !losses.isComplete(name, of: target.original)
        else { continue }
        let query = emptied[name] ?? nil
        let rows = try query.map { try values.names($0, by: key) } ?? values.names(with: column.name, by: key)
        if rows?.isEmpty ?? false { continue }
        try losses.add(
          lost(column, target, isOverwritten: true, key: key), values, counting(column, of: described, places),
          in: rows, isComplete: query == nil)
      }
    }
    return columns.isEmpty && losses.list.count > count
  }

  /// Counts what is lost in known rows, before a statement that changes their names: they cannot be followed.
  private mutating func endBeforeMove(_ target: Target, of columns: [String]) throws {
    guard let original = target.original else { return }
    let lost = losses.list.filter { $0.isOverwritten(nil, of: original) && $0.rows != nil }
    var keys = lost.flatMap(\.key) + (missing.key(of: original) ?? [])
    guard !keys.isEmpty else { return }
    try keys += db.keyColumns(of: target.name) + SQLIdentifier.rowIDNames
    guard !Set(keys.map(\.asciiLowercased)).isDisjoint(with: columns) else { return }
    try reader.reading {
      let values = reader.values(target.name)
      for column in lost.compactMap(\.overwritten) {
        try losses.end(column, of: original, values, removedCount: target.removedCount)
      }
      try missing.endNaming(of: original, values)
    }
  }

  // MARK: Deleted rows

  /// Names the rows that a DELETE removes from a table to which the file adds others, which do not replace them, and counts the
  /// values without which these may come back.
  ///
  /// - Parameter query: A query for the rows, without those that the file has added.
  mutating func countDeleted(_ query: SQLRowQuery, of target: Target) throws {
    guard let original = target.original, let keepers else { return }
    let values = reader.values(target.name)
    if keepers.addsRows(migration, target.statement) {
      try reader.reserveWriting()
      try reader.reading {
        let key = try missing.key(of: original) ?? values.key(replacing: [])
        missing.add(try values.names(query, by: key) ?? [], by: key, of: original)
      }
    }
    let described = try reader.reading {
      try db.valueColumns(in: ValueKeeper.Table(target.name, isTemporary: false))
    }
    let places = places(of: described.map(\.name), target)
    let columns = described.filter { places[$0.name.asciiLowercased] != nil }
    guard !columns.isEmpty else { return }
    try reader.reserveWriting()
    try reader.reading {
      let key = try values.key(replacing: [])
      guard let rows = try values.names(query, by: key, withValuesIn: columns.map(\.name)) else { return }
      for (column, rows) in zip(columns, rows) where !rows.isEmpty {
        let count = counting(column, of: described, places[column.name.asciiLowercased] ?? [])
        try losses.add(
          lost(column, target, isOverwritten: true, key: key, isOfDeleted: true), values, count, in: rows,
          isComplete: false)
      }
    }
  }

  // MARK: Parts

  /// Returns the places in which the migration is meant to keep the values of columns, by column.
  private func places(of columns: [String], _ target: Target) -> [String: [ValueKeeper]] {
    keepers?.ofColumns(migration, columns, target.isOld, target.statement) ?? [:]
  }

  /// Returns the values of a column, of which none has been counted.
  private func lost(
    _ column: ColumnDescription, _ target: Target, isOverwritten: Bool, key: [String], isOfDeleted: Bool = false
  ) -> LostValues {
    let loss = RowLoss(
      migration: migration, table: target.title, column: column.name, before: nil, after: nil,
      statement: target.statement)
    let overwritten = isOverwritten ? column.name.asciiLowercased : nil
    // The rows of an old table that is gone are counted.
    let original = target.isOld || isOverwritten ? target.original : nil
    return LostValues(loss, original, overwritten: overwritten, key: key, isOfDeleted: isOfDeleted)
  }

  /// Returns a function that counts the values of a column that none of some places has.
  private func counting(
    _ column: ColumnDescription, of described: [ColumnDescription], _ places: [ValueKeeper]
  ) -> LostValues.Count {
    // New numbers of rows matter only where a row refers to them, which is a matter of foreign keys.
    let isNumber =
      places.isEmpty && column.primaryKeyIndex > 0 && column.affinity == .integer
      && described.count { $0.primaryKeyIndex > 0 } == 1
    return { values in
      try isNumber || values.isCopied(column, places) ? 0 : values.lostCount(of: column.name, places)
    }
  }

  // MARK: The end of the migration

  /// Returns the number of rows of a table that are missing although others may have taken their places; nil if none are known.
  ///
  /// - Parameter name: The name of the table that has its rows now; nil if there is none.
  mutating func missingRowCount(of original: String, in name: String?) throws -> Int? {
    if let name { try missing.endNaming(of: original, reader.values(name)) }
    return missing.count(of: original)
  }

  /// Returns the losses at the end of the migration.
  ///
  /// - Parameters:
  ///   - successor: Returns the name of the table that has the rows of an old one.
  ///   - removedCount: Returns the number of rows that have been removed from an old table, which has a name now.
  mutating func end(
    successor: (_ original: String) -> String?, removedCount: (_ original: String, _ name: String) throws -> Int
  ) throws -> [RowLoss] {
    for original in Set(losses.list.filter { $0.overwritten != nil }.compactMap(\.original)) {
      guard let name = successor(original) else { continue }
      try losses.end(nil, of: original, reader.values(name)) { try removedCount(original, name) }
    }
    // The rows of a dropped table are counted.
    return try losses.list.compactMap { lost in
      guard lost.overwritten == nil && lost.loss.before != 0 else { return nil }
      guard let original = lost.original else { return lost.loss }
      guard let table = successor(original) else { return nil }
      var loss = lost.loss
      let columns = try db.connection.columns(in: table) ?? []
      if columns.contains(where: { $0.name.isSameName(as: loss.column ?? "") }) { loss.after = 0 }
      return loss
    }
  }
}
