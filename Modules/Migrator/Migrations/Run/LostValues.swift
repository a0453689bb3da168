internal import SQLSyntax

/// The values of a column that are in no other one, before a statement that removes or overwrites them.
struct LostValues {
  /// A function that counts values, other than those that are kept elsewhere; it returns nil if they cannot be counted.
  typealias Count = (ValueCount) throws -> Int?

  private(set) var loss: RowLoss
  /// The original name of the table; nil for a table of the migration itself.
  let original: String?
  /// The current name of a column that is overwritten: the values that it has in the end are not lost; nil for others.
  private(set) var overwritten: String?
  /// The columns that name a row.
  private(set) var key: [String]
  /// The names of the rows in which statements may have emptied the column: values in others replace none of them; nil if
  /// there are too many.
  private(set) var rows: Set<String>?
  /// Whether these are all rows that had a value, so that the column must not have fewer values in the end.
  private(set) var isComplete = false
  /// Whether the rows were deleted.
  let isOfDeleted: Bool

  init(_ loss: RowLoss, _ original: String?, overwritten: String?, key: [String], isOfDeleted: Bool = false) {
    (self.loss, self.original, self.overwritten, self.key) = (loss, original, overwritten, key)
    self.isOfDeleted = isOfDeleted
  }

  /// Whether the values are those of an overwritten column that is still there.
  func isOverwritten(_ column: String?, of table: String?) -> Bool {
    overwritten != nil && original == table && (column == nil || overwritten == column?.asciiLowercased)
  }

  /// Returns those of some rows in which the column has not been emptied before.
  func unknown(of rows: Set<String>) -> Set<String> {
    guard let known = self.rows else { return rows }
    return rows.filter { !known.contains($0) }
  }

  /// Adds the values in rows that a statement may empty.
  mutating func add(_ count: Int, in rows: Set<String>, isComplete: Bool) {
    loss.before = (loss.before ?? 0) + count
    if self.rows?.formUnion(rows) == nil { self.rows = rows }
    self.isComplete = self.isComplete || isComplete
  }

  /// Sets the number of the values of the whole column, in place of those in known rows.
  mutating func countColumn(_ count: Int?) { (loss.before, rows, isComplete) = (count, nil, true) }

  /// Renames a column of the table.
  mutating func rename(_ column: String, to newName: String) {
    key = key.map { $0.isSameName(as: column) ? newName : $0 }
    if isOverwritten(column, of: original) { overwritten = newName.asciiLowercased }
  }

  /// Leaves out the values that the same rows have now or, if these are not known, the column, and as many as rows are
  /// removed; later values of the column do not count.
  mutating func end(_ values: ValueCount, removedCount: () throws -> Int) throws {
    defer { overwritten = nil }
    guard let name = overwritten, let before = loss.before, before > 0 else { return }
    let lost = try stillLost(values)
    loss.before = lost
    guard isComplete else { return }
    let now = try values.lostCount(of: name, []) ?? before
    loss.before = max(lost, before - (try removedCount()) - now)
  }

  /// Forgets the deleted rows that are back with their value; a later statement that removes it is counted by itself.
  mutating func forgetRestored(_ values: ValueCount) throws {
    guard isOfDeleted, let column = overwritten, let rows,
      let restored = try values.among(rows, key)?.names(with: column, by: key)
    else { return }
    self.rows = rows.subtracting(restored)
  }

  /// Returns the number of values that were in known rows whose column is still empty.
  func stillLost(_ values: ValueCount) throws -> Int {
    let before = loss.before ?? 0
    guard let rows else { return isComplete ? 0 : before }
    return try min(before, values.among(rows, key)?.emptyCount(of: overwritten ?? "") ?? before)
  }
}

/// The values that the statements of a migration have removed.
struct ValueLosses {
  private(set) var list: [LostValues] = []

  /// Whether all values of an overwritten column have been counted.
  func isComplete(_ column: String, of original: String?) -> Bool {
    list.contains { $0.isOverwritten(column, of: original) && $0.isComplete }
  }

  /// Renames a column of a table.
  mutating func rename(_ column: String, to newName: String, of original: String?) {
    for place in list.indices where list[place].isOverwritten(nil, of: original) {
      list[place].rename(column, to: newName)
    }
  }

  /// Adds the values of a column that a statement drops or overwrites.
  ///
  /// - Parameters:
  ///   - rows: The names of the rows in which it may be emptied; nil if they are not known.
  ///   - isComplete: Whether these are all rows with a value.
  mutating func add(
    _ lost: LostValues, _ values: ValueCount, _ count: LostValues.Count, in rows: Set<String>?, isComplete: Bool
  ) throws {
    let known = lost.overwritten.flatMap { column in
      list.firstIndex {
        $0.isOverwritten(column, of: lost.original) && $0.key == lost.key && $0.isOfDeleted == lost.isOfDeleted
      }
    }
    let new = rows.map { rows in known.map { list[$0].unknown(of: rows) } ?? rows }
    let knownCount = known.flatMap { list[$0].rows?.count } ?? 0
    if let new, knownCount + new.count <= ValueCount.mostNames,
      let added = try (isComplete && known == nil ? values : values.among(new, lost.key)).flatMap(count)
    {
      guard added > 0 || isComplete else { return }
      if known == nil { list.append(lost) }
      list[known ?? list.count - 1].add(added, in: new, isComplete: isComplete)
    } else if let known {
      let before = try list[known].stillLost(values) + (count(values) ?? 0)
      list[known].countColumn(before)
    } else {
      var lost = lost
      let before = try count(values)
      lost.countColumn(lost.overwritten == nil ? before : before ?? 0)
      if before != 0 || lost.overwritten != nil { list.append(lost) }
    }
  }

  /// Forgets the deleted rows that are back, before a statement that overwrites columns; empty for all columns.
  mutating func forgetRestored(_ columns: [String], of original: String?, _ values: ValueCount) throws {
    for place in list.indices where list[place].isOfDeleted && list[place].isOverwritten(nil, of: original) {
      guard columns.isEmpty || columns.contains(list[place].overwritten ?? "") else { continue }
      try list[place].forgetRestored(values)
    }
  }

  /// Leaves out, of the values of an overwritten column, those that are not lost.
  ///
  /// - Parameters:
  ///   - column: The column; nil for all columns of the table.
  ///   - values: The values of the table as it is now.
  ///   - removedCount: Returns the number of rows that have been removed from the table.
  mutating func end(
    _ column: String?, of original: String, _ values: ValueCount, removedCount: () throws -> Int
  ) throws {
    for place in list.indices where list[place].isOverwritten(column, of: original) {
      try list[place].end(values, removedCount: removedCount)
    }
  }
}
