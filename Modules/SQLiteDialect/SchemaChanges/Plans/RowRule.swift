internal import Migrator
internal import SQLSyntax

struct RowRule {
  private let constraint: DatabaseError.Constraint

  /// An SQL expression that is true for the rows that violate the rule.
  private let condition: String
  /// A description of the rows that violate the rule, such as `NULL in "name", which becomes NOT NULL`.
  private let defect: String

  init(_ constraint: DatabaseError.Constraint, _ condition: String, _ defect: String) {
    self.constraint = constraint
    self.condition = condition
    self.defect = defect
  }

  init(check sql: String) {
    self.init(.check, "NOT (\(SQLFragment.closed(sql)))", "CHECK (\(sql)) is false")
  }

  /// Returns the query that finds the rows that violate the rule; `source` is the text after FROM.
  func diagnosis(table: String, from source: String, rowID: String?) -> SchemaChangeDiagnosis {
    SchemaChangeDiagnosis(
      query: "SELECT \(rowID ?? "NULL") FROM \(source) WHERE \(condition)", table: table, defect: defect,
      constraint: constraint)
  }
}

extension TableDraft {
  /// Returns the queries that find the rows of the old table that the new table rejects.
  func diagnoses(old: String) -> [SchemaChangeDiagnosis] {
    let name = table.object.name
    let number = "migrator_rowid"
    var columns = text.table.columns.filter { !$0.isGenerated }.map { column in
      "\(sources[column.name.folded] ?? text.defaultExpression(of: column) ?? "NULL")"
        + " AS \(column.name.value.quotedIdentifier)"
    }
    columns.insert("\(table.text.rowIDName ?? "NULL") AS \(number)", at: 0)
    let rows = "(SELECT \(columns.joined(separator: ", ")) FROM \(old))"
    return text.rules(rows: rows).map { rule in
      // The rows are named after the table, since constraints may qualify columns with the table's name.
      rule.diagnosis(table: name, from: "\(rows) AS \(name.quotedIdentifier)", rowID: number)
    }
  }
}

extension TableText {
  fileprivate func rules(rows: String) -> [RowRule] {
    var rules: [RowRule] = []
    if let rowIDColumn, let column = column(named: rowIDColumn) {
      let name = column.name.value.quotedIdentifier
      // Because of the cast, any text that looks like a number is compared as a number.
      rules.append(
        RowRule(.dataType, "CAST(\(name) AS INTEGER) <> \(name)", "a non-integer in \(name), which becomes the rowid"))
    }
    for column in table.columns {
      let name = column.name.value.quotedIdentifier
      for constraint in column.constraints {
        switch constraint.kind {
        case .notNull: rules.append(RowRule(.notNull, "\(name) IS NULL", "NULL in \(name), which becomes NOT NULL"))
        case .check(let expression, _): rules.append(RowRule(check: source.text(of: expression.tokens)))
        case .unique: rules.append(uniqueRule(.unique, [name], rows: rows))
        case .primaryKey: rules.append(uniqueRule(.primaryKey, [name], rows: rows))
        default: break
        }
      }
    }
    for constraint in table.constraints {
      switch constraint.kind {
      case .check(let expression, _): rules.append(RowRule(check: source.text(of: expression.tokens)))
      case .unique(let columns, _): rules.append(uniqueRule(.unique, names(columns), rows: rows))
      case .primaryKey(let columns, _, _):
        if table.isWithoutRowID {
          rules += names(columns).map { RowRule(.notNull, "\($0) IS NULL", "NULL in \($0), which becomes NOT NULL") }
        }
        rules.append(uniqueRule(.primaryKey, names(columns), rows: rows))
      default: break
      }
    }
    return rules
  }

  private func names(_ columns: [SQLIndexedColumn]) -> [String] {
    columns.map { column in
      column.column.map { $0.value.quotedIdentifier } ?? source.text(of: column.expression.tokens)
    }
  }

  /// Returns the rule that finds duplicate keys; rows with NULL in one of the columns are not duplicates.
  private func uniqueRule(_ constraint: DatabaseError.Constraint, _ names: [String], rows: String) -> RowRule {
    // GROUP BY must use the collations of the key; a column's collation is lost when a subquery returns the column
    // within an expression.
    let compared = names.map { name -> String in
      let column = table.columns.first { $0.name.value.quotedIdentifier == name }
      let collation = column?.constraints.compactMap { if case .collate(let name) = $0.kind { name } else { nil } }.last
      return collation.map { "\(name) COLLATE \($0.value.quotedIdentifier)" } ?? name
    }
    let list = compared.joined(separator: ", ")
    let key = compared.count == 1 ? list : "(\(list))"
    return RowRule(
      constraint, "\(key) IN (SELECT \(list) FROM \(rows) GROUP BY \(list) HAVING count(*) > 1)",
      "duplicate values of \(names.joined(separator: ", ")), which must be unique")
  }
}
