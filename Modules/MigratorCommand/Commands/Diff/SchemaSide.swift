internal import Migrator
internal import SQLSyntax

/// One of the two schemas between which a way is looked for.
struct SchemaSide {
  /// An ordinary table.
  struct Table {
    let object: SchemaObject
    let syntax: SQLTree
    let definition: SQLCreateTable

    var name: String { object.name }
    var folded: String { object.name.asciiLowercased }

    /// The columns that hold values of their own, and those that are computed.
    func columns(generated: Bool) -> [SQLColumnSyntax] {
      definition.columns.filter { column in
        generated == column.constraints.contains { if case .generated = $0.kind { true } else { false } }
      }
    }

    /// The definition under another name.
    func sql(named name: String) -> String {
      syntax.source.replacing([definition.name.name.token], with: name.quotedIdentifier)
    }

    /// The definition's tokens in canonical spelling, the name left out.
    var canonicalBody: String {
      SQLNormalization.canonicalText(of: syntax.source.replacing([definition.name.name.token], with: "x"))
    }

    /// The words and names of the definition behind the table's own name, in lower case.
    var mentions: Set<String> {
      Set(syntax.source.tokens[(definition.name.name.token + 1)...].map(\.folded))
    }

    /// Whether ids of deleted rows are never used again; the word is reserved.
    var isAutoincrement: Bool { syntax.source.tokens.contains { $0.isWord("autoincrement") } }

    /// A name by which rows have an id that no column shows; nil for tables without one.
    var hiddenRowIDName: String? {
      guard !definition.isWithoutRowID, rowIDColumn == nil else { return nil }
      return SQLIdentifier.rowIDName(besides: definition.columns.map(\.name.folded))
    }
  }

  /// The ordinary tables whose definitions could be read.
  var tables: [Table] = []
  /// The virtual tables, and tables whose definitions could not be read.
  var others: [SchemaObject] = []
  /// The indexes that have a definition of their own.
  var indexes: [SchemaObject] = []
  /// The views.
  var views: [SchemaObject] = []
  /// The triggers.
  var triggers: [SchemaObject] = []

  init(_ snapshot: SchemaSnapshot) {
    for object in snapshot.objects where !object.isShadow {
      guard let sql = object.sql else { continue }
      switch object.kind {
      case .index: indexes.append(object)
      case .view: views.append(object)
      case .trigger: triggers.append(object)
      case .table:
        if !object.isVirtual, let syntax = try? SQLTree(parsing: sql),
          case .createTable(let definition) = syntax.statement, definition.select == nil
        {
          tables.append(Table(object: object, syntax: syntax, definition: definition))
        } else {
          others.append(object)
        }
      }
    }
  }

  /// All words and names in the definitions, in lower case.
  var mentions: Set<String> {
    let objects = tables.map(\.object) + others + indexes + views + triggers
    return objects.reduce(into: []) { $0.formUnion($1.mentions) }
  }

  /// The table of a name, given in lower case.
  func table(_ folded: String) -> Table? { tables.first { $0.folded == folded } }
}

extension SchemaObject {
  /// Whether two objects are defined alike.
  func saysTheSame(as other: SchemaObject) -> Bool {
    guard let sql, let otherSQL = other.sql else { return false }
    return sql == otherSQL || SQLNormalization.canonicalText(of: sql) == SQLNormalization.canonicalText(of: otherSQL)
  }
}

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
