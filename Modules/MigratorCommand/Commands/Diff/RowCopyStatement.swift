internal import Migrator
internal import SQLSyntax

extension SchemaPath {
  /// Creates the new forms of tables under passing names, and copies the rows.
  mutating func createCopies() {
    for pair in pairs {
      guard case .rebuild = pair.step else { continue }
      let name = pair.copyName
      emit(pair.after.sql(named: name))
      let copying = RowCopyStatement(pair, to: name)
      emit(copying.sql, losses: copying.losses, risks: copying.risks)
      if pair.before.isAutoincrement, pair.after.isAutoincrement { copyCounter(of: pair.before.name, to: name) }
    }
  }

  /// Keeps ids of deleted rows from being used again (https://www.sqlite.org/autoinc.html).
  private mutating func copyCounter(of table: String, to copy: String) {
    emit("DELETE FROM sqlite_sequence WHERE name = \(copy.quotedText)")
    emit(
      "INSERT INTO sqlite_sequence (name, seq) SELECT \(copy.quotedText), seq FROM sqlite_sequence"
        + " WHERE name = \(table.quotedText)")
  }
}

/// The statement that copies the rows of a table to its new form.
private struct RowCopyStatement {
  let sql: String
  private(set) var losses: [String] = []
  private(set) var risks: [String] = []

  init(_ pair: SchemaPath.Pair, to copy: String) {
    var targets: [String] = []
    var sources: [String] = []
    var used: Set<String> = []
    var risks: [String] = []
    for column in pair.after.columns(generated: false) {
      let source = pair.source(of: column)
      guard let source else {
        if pair.after.refusesNull(column), !pair.after.hasDefault(column), !pair.after.isRowID(column) {
          risks.append(Self.needsValue(column, pair))
        }
        continue
      }
      sources.append(source.name.value.quotedIdentifier)
      used.insert(source.name.folded)
      risks += Self.risks(ofNullIn: column, from: source, pair)
      targets.append(column.name.value.quotedIdentifier)
    }
    let lost = pair.before.columns(generated: false).filter { !used.contains($0.name.folded) }
    losses = lost.map { "column \"\($0.name.value)\" of table \"\(pair.before.name)\" with its values" }
    if let old = pair.before.hiddenRowIDName, let new = pair.after.hiddenRowIDName {
      targets.insert(new, at: 0)
      sources.insert(old, at: 0)
    }
    let origin = pair.before.name.quotedIdentifier
    let columns = pair.after.columns(generated: false)
    if targets.isEmpty, let target = columns.first(where: { !pair.after.refusesNull($0) }) ?? columns.first {
      // Nothing of the rows is carried on; the statement still stops where a row would need a value.
      if pair.after.refusesNull(target) { risks.append(Self.needsValue(target, pair)) }
      targets = [target.name.value.quotedIdentifier]
      sources = ["NULL"]
      losses.append("the rows of table \"\(pair.before.name)\", of which nothing is carried on")
    }
    self.risks = risks + RowRisks(pair).texts
    // OR ABORT: a constraint with a conflict clause of its own would leave rows out silently.
    sql =
      "INSERT OR ABORT INTO \(copy.quotedIdentifier) (\(targets.joined(separator: ", ")))"
      + " SELECT \(sources.joined(separator: ", ")) FROM \(origin)"
  }

  private static func risks(
    ofNullIn column: SQLColumnSyntax, from source: SQLColumnSyntax, _ pair: SchemaPath.Pair
  ) -> [String] {
    let row = "a row with NULL in \"\(column.name.value)\" of \"\(pair.after.name)\""
    guard !pair.before.refusesNull(source), !pair.before.isRowID(source) else { return [] }
    // Even where it is NOT NULL.
    if pair.after.isRowID(column) { return ["\(row) gets a number: it is the row's id"] }
    return pair.after.refusesNull(column) ? ["\(row) stops the migration"] : []
  }

  private static func needsValue(_ column: SQLColumnSyntax, _ pair: SchemaPath.Pair) -> String {
    "\"\(column.name.value)\" of \"\(pair.after.name)\" needs a value for each row: it is NOT NULL and has no default"
  }

}

extension SchemaPath.Pair {
  /// The column of the earlier table that a later one continues; nil for a new one.
  func source(of column: SQLColumnSyntax) -> SQLColumnSyntax? {
    if let renamed = renamed.first(where: { $0.value == column.name.folded })?.key {
      return before.definition.column(named: renamed)
    }
    // One that was renamed to another name does not continue here.
    guard renamed[column.name.folded] == nil else { return nil }
    return before.definition.column(named: column.name.folded)
  }
}

extension SchemaSide.Table {
  /// Whether a column takes no NULL: it says so, or is part of a key that takes none
  /// (https://www.sqlite.org/withoutrowid.html, https://www.sqlite.org/stricttables.html).
  fileprivate func refusesNull(_ column: SQLColumnSyntax) -> Bool {
    let saysSo = column.constraints.contains { if case .notNull = $0.kind { true } else { false } }
    return saysSo || (definition.isWithoutRowID || definition.isStrict) && isInPrimaryKey(column)
  }

  /// Whether rows that are inserted without a value for a column get one.
  fileprivate func hasDefault(_ column: SQLColumnSyntax) -> Bool {
    column.constraints.contains { constraint in
      guard case .defaultValue(let value) = constraint.kind else { return false }
      return syntax.source.text(of: value.tokens).asciiLowercased != "null"
    }
  }

  /// Whether a column is the row's id, which the engine chooses.
  fileprivate func isRowID(_ column: SQLColumnSyntax) -> Bool { rowIDColumn?.name.folded == column.name.folded }

  private func isInPrimaryKey(_ column: SQLColumnSyntax) -> Bool {
    let isKey = column.constraints.contains { if case .primaryKey = $0.kind { true } else { false } }
    return isKey
      || definition.constraints.contains { constraint in
        guard case .primaryKey(let columns, _, _) = constraint.kind else { return false }
        return columns.contains { $0.column?.folded == column.name.folded }
      }
  }
}
