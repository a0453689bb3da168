internal import SQLSyntax

extension SchemaSide.Table {
  /// Columns of which no two rows may have the same values.
  struct UniqueKey {
    /// The names, in lower case.
    let columns: [String]
    let isPrimary: Bool
    /// Whether the key itself says how texts compare.
    var hasCollation = false
  }

  /// The primary key and the unique keys of the definition; unique indexes are objects of their own.
  var uniqueKeys: [UniqueKey] {
    var keys: [UniqueKey] = []
    for column in definition.columns {
      for constraint in column.constraints {
        switch constraint.kind {
        case .primaryKey: keys.append(UniqueKey(columns: [column.name.folded], isPrimary: true))
        case .unique: keys.append(UniqueKey(columns: [column.name.folded], isPrimary: false))
        default: break
        }
      }
    }
    for constraint in definition.constraints {
      switch constraint.kind {
      case .primaryKey(let columns, _, _): keys.append(UniqueKey(columns, isPrimary: true))
      case .unique(let columns, _): keys.append(UniqueKey(columns, isPrimary: false))
      default: break
      }
    }
    return keys
  }

  /// A foreign key: what has to be found where; what happens to it counts for nothing here.
  struct ForeignKey: Hashable {
    /// The columns, in lower case.
    var columns: [String]
    /// The table that is referred to, in lower case.
    let table: String
    /// The columns that are referred to, in lower case; empty for the primary key.
    let target: [String]

    /// The key with its columns under other names.
    func mapping(_ name: (String) -> String) -> ForeignKey {
      var key = self
      key.columns = columns.map(name)
      return key
    }
  }

  /// The foreign keys of the definition.
  var foreignKeys: [ForeignKey] {
    var keys: [ForeignKey] = []
    func add(_ columns: [String], _ clause: SQLForeignKeyClause) {
      keys.append(
        ForeignKey(columns: columns, table: clause.table.folded, target: clause.columns.map(\.folded)))
    }
    for column in definition.columns {
      for case .references(let clause) in column.constraints.map(\.kind) { add([column.name.folded], clause) }
    }
    for case .foreignKey(let columns, let clause) in definition.constraints.map(\.kind) {
      add(columns.map(\.folded), clause)
    }
    return keys
  }

  /// The column that is the row's id; nil when none is, and for tables without (https://www.sqlite.org/lang_createtable.html#rowid).
  var rowIDColumn: SQLColumnSyntax? {
    guard !definition.isWithoutRowID else { return nil }
    let isInteger = { (column: SQLColumnSyntax) in
      syntax.source.text(of: column.type).asciiLowercased == "integer"
    }
    for column in definition.columns where isInteger(column) {
      for constraint in column.constraints {
        if case .primaryKey(isDescending: false, _, _) = constraint.kind { return column }
      }
    }
    for constraint in definition.constraints {
      guard case .primaryKey(let columns, _, _) = constraint.kind, columns.count == 1,
        let name = columns[0].column?.folded, let column = definition.column(named: name), isInteger(column)
      else { continue }
      return column
    }
    return nil
  }
}

extension SchemaSide.Table.UniqueKey {
  fileprivate init(_ columns: [SQLIndexedColumn], isPrimary: Bool) {
    self.init(
      columns: columns.compactMap(\.column?.folded), isPrimary: isPrimary,
      hasCollation: columns.contains { $0.collation != nil })
  }
}
