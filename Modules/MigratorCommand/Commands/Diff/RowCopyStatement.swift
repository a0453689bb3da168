internal import Migrator
internal import SQLSyntax

/// The statement that copies the rows of a table to its new form.
struct RowCopyStatement {
  let sql: String
  private(set) var losses: [String] = []
  private(set) var risks: [String] = []

  init(_ pair: SchemaPath.Pair, to copy: String) {
    var targets: [String] = []
    var sources: [String] = []
    var used: Set<String> = []
    for column in pair.after.givenColumns {
      guard let source = pair.source(of: column) else {
        if pair.after.refusesNull(column), !column.hasDefault, pair.after.rowIDColumn != column.name.asciiLowercased {
          risks.append(Self.needsValue(column, pair))
        }
        continue
      }
      targets.append(column.name.quotedIdentifier)
      sources.append(source.name.quotedIdentifier)
      used.insert(source.name.asciiLowercased)
      risks += Self.risks(ofNullIn: column, from: source, pair)
    }
    losses = pair.before.givenColumns.filter { !used.contains($0.name.asciiLowercased) }.map {
      "column \"\($0.name)\" of table \"\(pair.before.name)\" with its values"
    }
    if let old = pair.before.hiddenRowIDName, let new = pair.after.hiddenRowIDName {
      targets.insert(new, at: 0)
      sources.insert(old, at: 0)
    }
    let columns = pair.after.givenColumns
    if targets.isEmpty, let target = columns.first(where: { !pair.after.refusesNull($0) }) ?? columns.first {
      // Nothing of the rows is carried on; the statement still stops where a row would need a value.
      if pair.after.refusesNull(target) { risks.append(Self.needsValue(target, pair)) }
      targets = [target.name.quotedIdentifier]
      sources = ["NULL"]
      losses.append("the rows of table \"\(pair.before.name)\", of which nothing is carried on")
    }
    risks += RowRisks(pair).texts
    // OR ABORT: a constraint with another conflict clause would leave rows out silently.
    sql =
      "INSERT OR ABORT INTO \(copy.quotedIdentifier) (\(targets.joined(separator: ", ")))"
      + " SELECT \(sources.joined(separator: ", ")) FROM \(pair.before.name.quotedIdentifier)"
  }

  private static func risks(
    ofNullIn column: ColumnDescription, from source: ColumnDescription, _ pair: SchemaPath.Pair
  ) -> [String] {
    let row = "a row with NULL in \"\(column.name)\" of \"\(pair.after.name)\""
    guard !pair.before.refusesNull(source), pair.before.rowIDColumn != source.name.asciiLowercased else { return [] }
    // Even where it is NOT NULL.
    if pair.after.rowIDColumn == column.name.asciiLowercased { return ["\(row) gets a number: it is the row's id"] }
    return pair.after.refusesNull(column) ? ["\(row) stops the migration"] : []
  }

  private static func needsValue(_ column: ColumnDescription, _ pair: SchemaPath.Pair) -> String {
    "\"\(column.name)\" of \"\(pair.after.name)\" needs a value for each row: it is NOT NULL and has no default"
  }
}

extension ColumnDescription {
  /// Whether rows that are inserted without a value for the column get one.
  fileprivate var hasDefault: Bool { defaultSQL.map { $0.asciiLowercased != "null" } ?? false }
}
