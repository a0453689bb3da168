import Migrator

/// A schema as plain values that generates its own SQL: it shares no code with the code under test.
struct ModelSchema: Hashable {
  var tables: [ModelTable] = []
  var objects: [ModelObject] = []

  /// The names of tables and columns by their numbers.
  var names: [Int: String] = [:]

  subscript(table number: Int) -> ModelTable {
    get { tables.first { $0.number == number } ?? ModelTable(number: number) }
    set { if let index = tables.firstIndex(where: { $0.number == number }) { tables[index] = newValue } }
  }

  /// Assigns a number to a new table or column.
  mutating func number(_ name: String) -> Int {
    let number = names.count + 1
    names[number] = name
    return number
  }

  func name(_ number: Int) -> String { names[number] ?? "?" }

  func text(_ sql: ModelSQL) -> String {
    var spelling = ModelSpelling()
    return text(sql, &spelling)
  }

  func text(_ sql: ModelSQL, _ spelling: inout ModelSpelling) -> String {
    var text = ""
    for piece in sql.pieces {
      switch piece {
      case .sql(let sql): text += sql
      case .name(let number): text += spelling.name(name(number))
      case .definition(let number): text += spelling.name(name(number), isDefinition: true)
      }
    }
    return text
  }

  /// Returns the statement that creates a table, optionally under another name.
  func createSQL(_ table: ModelTable, as other: String? = nil) -> String {
    var spelling = ModelSpelling()
    return createSQL(table, as: other, &spelling)
  }

  func createSQL(_ table: ModelTable, as other: String? = nil, _ spelling: inout ModelSpelling) -> String {
    var elements: [String] = []
    for sql in table.columns.map(\.sql) + table.clauses.map(\.sql) {
      elements.append(text(sql, &spelling) + spelling.blank())
    }
    let options = (table.isStrict ? ["STRICT"] : []) + (table.isWithoutRowID ? ["WITHOUT ROWID"] : [])
    let body = elements.joined(separator: "," + spelling.blank())
    return
      "CREATE TABLE \(spelling.name(other ?? name(table.number), isDefinition: true))(\(body)) \(options.joined(separator: ", "))"
  }

  /// Returns whether anything other than a column's own definition uses that column, or a table.
  func isUsed(_ number: Int) -> Bool {
    tables.contains { table in
      table.clauses.contains { $0.sql.names.contains(number) }
        || table.columns.contains { column in
          column.clauses.contains { $0.sql.names.contains(number) && (column.number != number || $0.isKey) }
        }
    } || objects.contains { $0.sql.names.contains(number) }
  }
}

struct ModelTable: Hashable {
  let number: Int
  var columns: [ModelColumn] = []
  var clauses: [ModelTableClause] = []
  var isWithoutRowID = false
  var isStrict = false

  subscript(column number: Int) -> ModelColumn {
    get { columns.first { $0.number == number } ?? ModelColumn(number: number) }
    set { if let index = columns.firstIndex(where: { $0.number == number }) { columns[index] = newValue } }
  }

  /// The columns that are not generated.
  var ordinary: [ModelColumn] { columns.filter { !$0.isGenerated } }

  /// The column that is an alias of the rowid (https://www.sqlite.org/lang_createtable.html#rowid).
  var rowIDColumn: Int? {
    guard !isWithoutRowID else { return nil }
    for column in columns where column.type.uppercased() == "INTEGER" {
      for clause in column.clauses { if case .key(false, _, _) = clause.kind { return column.number } }
      for clause in clauses {
        if case .key(let parts, _) = clause.kind, parts.map(\.column) == [column.number] { return column.number }
      }
    }
    return nil
  }

  /// The columns of the primary key.
  var key: [ModelKeyPart] {
    for clause in clauses { if case .key(let parts, _) = clause.kind { return parts } }
    for column in columns {
      for clause in column.clauses { if case .key = clause.kind { return [ModelKeyPart(column: column.number)] } }
    }
    return []
  }

  var hasKey: Bool {
    clauses.contains { if case .key = $0.kind { true } else { false } }
      || columns.contains { $0.clauses.contains { if case .key = $0.kind { true } else { false } } }
  }

  var isAutoincrement: Bool {
    columns.contains { $0.clauses.contains { if case .key(_, true, _) = $0.kind { true } else { false } } }
  }
}

struct ModelColumn: Hashable {
  let number: Int
  var type = ""
  var clauses: [ModelColumnClause] = []

  var sql: ModelSQL {
    let parts: [ModelSQL] = ["\(defining: number)"] + (type.isEmpty ? [] : [ModelSQL(type)]) + clauses.map(\.sql)
    return "\(parts, by: " ")"
  }

  var isGenerated: Bool { clauses.contains { if case .generated = $0.kind { true } else { false } } }
  var isNotNull: Bool { clauses.contains { if case .notNull = $0.kind { true } else { false } } }

  var defaultValue: String? {
    for case .defaultValue(let value) in clauses.map(\.kind).reversed() { return value }
    return nil
  }
}

struct ModelColumnClause: Hashable {
  enum Kind: Hashable {
    case key(isDescending: Bool, isAutoincrement: Bool, ConflictResolution?)
    case unique(ConflictResolution?)
    case notNull(ConflictResolution?)
    case check(ModelSQL)
    case defaultValue(String)
    case collate(String)
    case references(ModelReference)
    case generated(ModelSQL, isStored: Bool)
  }

  var name: String?
  var kind: Kind

  /// Whether the clause is a key, so that its column cannot be dropped.
  var isKey: Bool {
    switch kind {
    case .key, .unique: true
    default: false
    }
  }

  var sql: ModelSQL {
    let sql: ModelSQL =
      switch kind {
      case .key(let isDescending, let isAutoincrement, let conflict):
        "PRIMARY KEY\(raw: isDescending ? " DESC" : "")\(raw: conflict.modelSQL)\(raw: isAutoincrement ? " AUTOINCREMENT" : "")"
      case .unique(let conflict): "UNIQUE\(raw: conflict.modelSQL)"
      case .notNull(let conflict): "NOT NULL\(raw: conflict.modelSQL)"
      case .check(let condition): "CHECK (\(condition))"
      case .defaultValue(let value): "DEFAULT \(raw: value)"
      case .collate(let name): "COLLATE \(raw: name)"
      case .references(let reference): reference.sql
      case .generated(let expression, let isStored):
        "GENERATED ALWAYS AS (\(expression)) \(raw: isStored ? "STORED" : "VIRTUAL")"
      }
    return name.map { "CONSTRAINT \(raw: $0) \(sql)" } ?? sql
  }
}

struct ModelReference: Hashable {
  var table: Int
  var columns: [Int] = []
  var onDelete: ForeignKeyAction?
  var onUpdate: ForeignKeyAction?
  var isDeferred = false

  var sql: ModelSQL {
    let columns: ModelSQL = columns.isEmpty ? "" : "(\(names: columns))"
    let actions =
      (onDelete.map { " ON DELETE \($0.rawValue)" } ?? "") + (onUpdate.map { " ON UPDATE \($0.rawValue)" } ?? "")
    return
      "REFERENCES \(name: table)\(columns)\(raw: actions)\(raw: isDeferred ? " DEFERRABLE INITIALLY DEFERRED" : "")"
  }
}

struct ModelKeyPart: Hashable {
  var column: Int
  var collation: String?
  var isDescending = false

  var sql: ModelSQL {
    "\(name: column)\(raw: collation.map { " COLLATE \($0)" } ?? "")\(raw: isDescending ? " DESC" : "")"
  }
}

struct ModelTableClause: Hashable {
  enum Kind: Hashable {
    case key([ModelKeyPart], ConflictResolution?)
    case unique([ModelKeyPart], ConflictResolution?)
    case check(ModelSQL)
    case foreignKey([Int], ModelReference)
  }

  var name: String?
  var kind: Kind

  var sql: ModelSQL {
    let sql: ModelSQL =
      switch kind {
      case .key(let parts, let conflict): "PRIMARY KEY (\(parts.map(\.sql)))\(raw: conflict.modelSQL)"
      case .unique(let parts, let conflict): "UNIQUE (\(parts.map(\.sql)))\(raw: conflict.modelSQL)"
      case .check(let condition): "CHECK (\(condition))"
      case .foreignKey(let columns, let reference): "FOREIGN KEY (\(names: columns)) \(reference.sql)"
      }
    return name.map { "CONSTRAINT \(raw: $0) \(sql)" } ?? sql
  }
}

extension ConflictResolution? {
  var modelSQL: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}
