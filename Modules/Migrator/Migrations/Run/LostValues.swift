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
  /// The rowids of the rows in which statements have emptied the column: values in others replace none of them; nil if the
  /// whole column is counted.
  private(set) var rowIDs: Set<Int64>?

  init(_ loss: RowLoss, _ original: String?, overwritten: String?) {
    (self.loss, self.original, self.overwritten) = (loss, original, overwritten)
  }

  /// Whether the values are those of an overwritten column that is still there.
  func isOverwritten(_ column: String?, of table: String?) -> Bool {
    overwritten != nil && original == table && (column == nil || overwritten == column?.asciiLowercased)
  }

  /// Returns those of some rows in which the column has not been emptied before.
  func unknown(of rowIDs: Set<Int64>) -> Set<Int64> {
    guard let known = self.rowIDs else { return rowIDs }
    return rowIDs.filter { !known.contains($0) }
  }

  /// Adds the values in rows that a statement empties.
  mutating func add(_ count: Int, in rowIDs: Set<Int64>) {
    loss.before = (loss.before ?? 0) + count
    if self.rowIDs?.formUnion(rowIDs) == nil { self.rowIDs = rowIDs }
  }

  /// Sets the number of the values of the whole column, in place of those in known rows.
  mutating func countColumn(_ count: Int?) { (loss.before, rowIDs) = (count, nil) }

  /// Returns the number of values that were in known rows whose column is still empty.
  func stillLost(_ values: ValueCount) throws -> Int {
    let before = loss.before ?? 0
    guard let rowIDs else { return before }
    return try min(before, values.among(rowIDs)?.emptyCount(of: overwritten ?? "") ?? before)
  }
}
