internal import Migrator

/// A table that is to be created anew with another text, and where its columns get their values from.
struct PendingRebuild {
  /// The table as it is.
  let table: EditableTable

  /// The new text so far.
  var text: TableText

  /// Expressions over the old table's rows, by the new columns' names in lower case; a column without one gets its
  /// default.
  var sources: [String: String]

  /// Whether every value that is kept is compared afterwards.
  var verifies = false

  /// The columns of which the values are not those that the old table has.
  var mapped: Set<String> = []

  /// The columns that get their values from an expression of the caller.
  var copying: Set<String> = []

  /// Indexes that take the place of old ones of their names, or come behind them.
  var indexes: [NewIndexDescription] = []

  /// Begins with the table as it is, whose generated columns are computed anew.
  init(_ table: EditableTable, text: TableText) {
    self.table = table
    self.text = text
    sources = [:]
    for column in text.table.columns where !column.isGenerated {
      sources[column.name.folded] = SQLSpelling.identifier(column.name.value)
    }
  }

  /// Whether each row has the number that it had.
  var keepsRowIDs: Bool {
    guard !text.table.isWithoutRowID, !table.text.table.isWithoutRowID else { return false }
    guard let column = text.rowIDColumn, sources[column] != nil else { return true }
    return column == table.text.rowIDColumn && !copying.contains(column)
  }

  /// The columns that are copied, in the order of the new table, with what they are copied from.
  var copied: [(name: String, expression: String)] {
    text.table.columns.filter { !$0.isGenerated }.compactMap { column in
      sources[column.name.folded].map { (column.name.value, $0) }
    }
  }

  /// Gives rows that have NULL the default of a column that refuses it from now on.
  mutating func fillDefaults(before old: TableText) {
    for column in text.table.columns where column.isNotNull && !column.isGenerated {
      let name = column.name.folded
      guard !copying.contains(name), old.column(named: name)?.isNotNull == false, let source = sources[name],
        let value = text.defaultExpression(of: column)
      else { continue }
      sources[name] = "ifnull(\(source), \(value))"
      mapped.insert(name)
    }
  }
}
