internal import Migrator

/// The stored definitions of a schema and of the temporary one beside it, as they stand between two steps of a change.
struct SchemaCatalog {
  /// A row of the schema table (https://www.sqlite.org/schematab.html).
  struct Object {
    let kind: SchemaObject.Kind
    let name: String
    let tableName: String
    var sql: String?

    /// Whether the object stands in the temporary schema, and the catalog is about another one.
    let isTemporary: Bool

    /// Whether the object is a virtual table.
    var isVirtual: Bool {
      guard kind == .table, let sql else { return false }
      let tokens = SQLSource(sql).tokens
      return tokens.count > 1 && tokens[1].isWord("virtual")
    }

    /// Whether the object is a virtual table that reads the rows of a table by its name, given in lower case
    /// (https://www.sqlite.org/fts5.html#external_content_tables).
    func reads(table: String) -> Bool { option("content") == table }

    /// Whether the object finds that table's rows by what is not one of its columns.
    func reads(rowIDsOf table: String, in text: TableText) -> Bool {
      reads(table: table) && option("content_rowid").map { text.column(named: $0) == nil } ?? true
    }

    /// The value of a virtual table's option, in lower case.
    private func option(_ name: String) -> String? {
      guard isVirtual, let sql else { return nil }
      let source = SQLSource(sql)
      let index = source.tokens.indices.first { index in
        source.tokens[index].isWord(name) && source.token(index + 1)?.isOperator("=") == true
      }
      return index.flatMap { source.token($0 + 2)?.folded }
    }

    /// How messages name the object.
    var description: String { "\(isTemporary ? "temporary " : "")\(kind.rawValue) \"\(name)\"" }
  }

  /// The objects in the order of their creation, those of the temporary schema last.
  var objects: [Object] = []

  /// Whether an engine's own statement changed definitions in a way that was not followed here.
  var isStale = false

  /// Whether statements name the schema, so that nothing else can be meant.
  var isSchemaNamed = false

  /// Nothing.
  init() {}

  /// Reads a schema, and the temporary one where that is another.
  init(_ connection: any SQLiteConnection, _ schema: SchemaName = .main) throws(DatabaseError) {
    let schemas = schema.isTemporary ? [(schema, false)] : [(schema, false), (.temporary, true)]
    for (schema, isTemporary) in schemas {
      let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM \(schema.definitions) ORDER BY rowid")
      for row in rows {
        guard case .text(let type) = row[0], let kind = SchemaObject.Kind(rawValue: type),
          case .text(let name) = row[1],
          case .text(let tableName) = row[2]
        else { continue }
        let sql: String? = if case .text(let text) = row[3] { text } else { nil }
        objects.append(Object(kind: kind, name: name, tableName: tableName, sql: sql, isTemporary: isTemporary))
      }
    }
  }

  /// The table or view of a name, given in lower case; a temporary one comes first, as it does for the engine where
  /// statements do not name the schema.
  func table(_ folded: String) -> Object? {
    let found = objects.filter { ($0.kind == .table || $0.kind == .view) && $0.name.asciiLowercased == folded }
    return found.first { $0.isTemporary != isSchemaNamed } ?? (isSchemaNamed ? nil : found.first)
  }

  /// The indexes of a table of the schema that have a definition of their own.
  func indexes(on folded: String) -> [Object] {
    objects.filter {
      $0.kind == .index && !$0.isTemporary && $0.sql != nil && $0.tableName.asciiLowercased == folded
    }
  }

  /// Whether a trigger of a table names it in letters of another case.
  func hasTrigger(namingOtherwise table: Object) -> Bool {
    objects.contains {
      $0.kind == .trigger && $0.tableName != table.name && $0.tableName.asciiLowercased == table.name.asciiLowercased
    }
  }

  /// Sets the definition of an object of the schema.
  mutating func setSQL(_ sql: String, of edited: Object) {
    for index in objects.indices
    where objects[index].kind == edited.kind && objects[index].name == edited.name && !objects[index].isTemporary {
      objects[index].sql = sql
    }
  }

  /// A name that no object has, made of a table's.
  func unusedName(for table: String) -> String {
    let names = Set(objects.map { $0.name.asciiLowercased })
    var number = 0
    while true {
      let name = "migrator_old_\(table)" + (number == 0 ? "" : "_\(number)")
      if !names.contains(name.asciiLowercased) { return name }
      number += 1
    }
  }
}
