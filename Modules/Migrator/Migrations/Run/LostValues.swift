internal import SQLSyntax

/// The values of a column that are in no other one, before a statement that removes or overwrites them.
struct LostValues {
  /// A function that counts values, other than those that are kept elsewhere; it returns nil if they cannot be counted.
  typealias Count = (ValueCount) throws -> Int?

  var loss: RowLoss
  /// The original name of the table; nil for a table of the migration itself.
  let original: String?
  /// The current name of a column that is overwritten: the values that it has in the end are not lost; nil for others.
  var overwritten: String?
  /// The columns that name a row.
  var key: [String]
  /// The names of the rows in which statements may have emptied the column: values in others replace none of them; nil if
  /// there are too many.
  private(set) var rows: Set<String>?
  /// Whether these are all rows that had a value, so that the column must not have fewer values in the end.
  private(set) var isComplete = false

  init(_ loss: RowLoss, _ original: String?, overwritten: String?, key: [String]) {
    (self.loss, self.original, self.overwritten, self.key) = (loss, original, overwritten, key)
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

  /// Returns the number of values that were in known rows whose column is still empty.
  func stillLost(_ values: ValueCount) throws -> Int {
    let before = loss.before ?? 0
    guard let rows else { return isComplete ? 0 : before }
    return try min(before, values.among(rows, key)?.emptyCount(of: overwritten ?? "") ?? before)
  }
}
