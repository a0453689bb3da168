internal import Migrator
internal import SQLSyntax

struct RowCopyStatement {
  let sql: String
  private(set) var losses: [String] = []
  let risks: [SuggestedMigration.Risk]

  init(_ pair: SchemaPath.Pair, to copy: String) {
    var risks: [String] = []
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
      risks += Self.risks(ofNullIn: column, from: source, pair) + Self.risks(ofTypeOf: column, from: source, pair)
    }
    losses = pair.before.givenColumns.filter { !used.contains($0.name.asciiLowercased) }.map(pair.loss)
    if let old = pair.before.hiddenRowIDName, let new = pair.after.hiddenRowIDName {
      targets.insert(new, at: 0)
      sources.insert(old, at: 0)
    }
    let columns = pair.after.givenColumns
    if targets.isEmpty, let target = columns.first(where: { !pair.after.refusesNull($0) }) ?? columns.first {
      // No column is copied; the statement still fails if a row needs a value for a column.
      if pair.after.refusesNull(target) { risks.append(Self.needsValue(target, pair)) }
      targets = [target.name.quotedIdentifier]
      sources = ["NULL"]
      losses.append("the rows of table \"\(pair.before.name)\", none of whose values are copied")
    }
    self.risks = risks.map { SuggestedMigration.Risk(text: $0) } + RowRisks(pair).risks
    // OR ABORT, because a constraint with an ON CONFLICT clause could silently skip rows.
    sql =
      "INSERT OR ABORT INTO \(copy.quotedIdentifier) (\(targets.joined(separator: ", ")))"
      + " SELECT \(sources.joined(separator: ", ")) FROM \(pair.before.name.quotedIdentifier)"
  }

  private static func risks(
    ofNullIn column: ColumnDescription, from source: ColumnDescription, _ pair: SchemaPath.Pair
  ) -> [String] {
    let row = "a row with NULL in \"\(column.name)\" of \"\(pair.after.name)\""
    guard pair.before.mayHoldNull(source) else { return [] }
    // The rowid replaces NULL by a new number, even if the column is NOT NULL.
    if pair.after.rowIDColumn == column.name.asciiLowercased {
      return ["\(row) gets a new number: the column is the rowid"]
    }
    return pair.after.refusesNull(column) ? ["\(row) makes the migration fail"] : []
  }

  /// The values that another type converts (https://www.sqlite.org/datatype3.html#type_affinity).
  private static func risks(
    ofTypeOf column: ColumnDescription, from source: ColumnDescription, _ pair: SchemaPath.Pair
  ) -> [String] {
    let place = "\"\(column.name)\" of \"\(pair.after.name)\""
    return switch (source.affinity, column.affinity) {
    case (.text, .integer), (.text, .numeric), (.text, .real), (.blob, .integer), (.blob, .numeric), (.blob, .real):
      ["text that looks like a number becomes one in \(place): '007' becomes 7"]
    case (.integer, .real), (.numeric, .real): ["integers of more than 15 digits in \(place) are rounded"]
    default: []
    }
  }

  private static func needsValue(_ column: ColumnDescription, _ pair: SchemaPath.Pair) -> String {
    "\"\(column.name)\" of \"\(pair.after.name)\" needs a value for each row: it is NOT NULL and has no default"
  }
}

extension SchemaPath.Pair {
  /// Returns the note that the values of a column of the earlier definition are lost.
  func loss(of column: ColumnDescription) -> String {
    "column \"\(column.name)\" of table \"\(before.name)\" with its values"
  }
}

extension ColumnDescription {
  var hasDefault: Bool { defaultValueSQL.map { $0.asciiLowercased != "null" } ?? false }
}
