internal import Migrator
internal import SQLSyntax

/// The stored definitions of a schema and of the temporary schema, at a point between two steps of a change.
struct SchemaCatalog {
  /// A row of `sqlite_schema` (https://www.sqlite.org/schematab.html).
  struct Object {
    let kind: SchemaObject.Kind
    let name: String
    let tableName: String
    var sql: String?
    var isVirtual = false

    /// Whether the object is in the temporary schema while the catalog describes another schema.
    let isTemporary: Bool

    /// Whether the object is a virtual table that refers to a table by name and reads its rows.
    ///
    /// If so, `table`, in lower case, is the external content of the virtual table
    /// (https://www.sqlite.org/fts5.html#external_content_tables), or a full-text table whose terms the virtual table
    /// lists (https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module).
    func reads(table: String) -> Bool {
      guard isVirtual, let sql else { return false }
      let arguments = ModuleArguments(sql)
      return switch arguments.module {
      case "fts4aux": arguments.names.last == table
      case "fts5vocab": arguments.names.dropLast().last == table
      default: option("content") == table
      }
    }

    /// Whether the object is a virtual table that lists no columns, and therefore has all columns of `table`
    /// (https://www.sqlite.org/fts3.html#_external_content_fts4_tables_).
    func reads(allColumnsOf table: String) -> Bool {
      guard reads(table: table), let sql else { return false }
      let arguments = ModuleArguments(sql)
      return arguments.module == "fts4" && arguments.names.isEmpty
    }

    /// Whether the object is a virtual table that finds the rows of `table` by a rowid that is not one of its columns.
    func reads(rowIDsOf table: String, in text: TableText) -> Bool {
      reads(table: table) && option("content_rowid").map { text.column(named: $0) == nil } ?? true
    }

    /// Returns the value, in lower case, of an option of a virtual table; nil if it has no such option.
    private func option(_ name: String) -> String? {
      guard isVirtual, let sql else { return nil }
      return ModuleArguments(sql).option(name)?.asciiLowercased
    }

    var description: String { "\(isTemporary ? "temporary " : "")\(kind.rawValue) \"\(name)\"" }
  }

  /// An object and the new text of its definition.
  typealias Edit = (object: Object, sql: String)

  /// A stored table with its parsed definition.
  struct Table {
    let object: Object
    let text: TableText
  }

  let connection: any SQLiteConnection
  /// The schema that contains the tables to alter.
  let schema: SchemaName
  /// Whether statements must name the schema, so that table names are unambiguous.
  let isSchemaNamed: Bool
  /// The objects in the order of their creation; those of the temporary schema are last.
  private(set) var objects: [Object] = []
  /// Whether the engine has changed definitions in a way that this catalog does not track.
  private(set) var isStale = false

  /// Reads the definitions of the given schema and of the temporary schema.
  init(_ connection: any SQLiteConnection, _ schema: SchemaName = .main, isSchemaNamed: Bool = false)
    throws(DatabaseError)
  {
    self.connection = connection
    self.schema = schema
    self.isSchemaNamed = isSchemaNamed
    let schemas = schema.isTemporary ? [(schema, false)] : [(schema, false), (.temporary, true)]
    for (schema, isTemporary) in schemas {
      objects += try connection.schemaObjects(in: schema).map { object in
        Object(
          kind: object.kind, name: object.name, tableName: object.tableName, sql: object.sql,
          isVirtual: object.isVirtual, isTemporary: isTemporary)
      }
    }
  }

  /// Reads the definitions of the schema that contains a table to alter; if `schema` is nil, a temporary table takes
  /// precedence, as in the engine.
  init(_ connection: any SQLiteConnection, holding table: String, in schema: String?) throws(DatabaseError) {
    let temporary: String? = try connection.isTemporary(table) ? "temp" : nil
    let schema = schema ?? temporary
    try self.init(connection, connection.schemaName(schema), isSchemaNamed: schema != nil)
  }

  // MARK: Objects

  /// Returns the table or view with a name, given in lower case.
  ///
  /// A temporary table or view takes precedence, as it does in the engine if a statement does not name the schema.
  func table(_ folded: String) -> Object? {
    let found = objects.filter { ($0.kind == .table || $0.kind == .view) && $0.name.asciiLowercased == folded }
    return found.first { $0.isTemporary != isSchemaNamed } ?? (isSchemaNamed ? nil : found.first)
  }

  /// Returns a table of the schema with its parsed definition, which can then be edited.
  func editableTable(_ name: String) throws(DatabaseError) -> Table {
    guard !isStale else {
      throw connection.refusal(
        "the definition of \"\(name)\" after the earlier steps of this change cannot be determined in advance",
        remedy: "Use a separate alter(table:) for each step.")
    }
    guard let object = table(name.asciiLowercased) else {
      throw connection.refusal("no such table: \(name)", remedy: "Check the table's name.", condition: .statement)
    }
    guard object.kind == .table, !object.isTemporary, !object.isVirtual, let sql = object.sql,
      let text = TableText(sql)
    else {
      throw connection.refusal(
        "\(connection.versionText) cannot alter the columns of \(object.description)",
        remedy: "Drop it and create it again.")
    }
    return Table(object: object, text: text)
  }

  func column(_ name: String, of table: Table) throws(DatabaseError) -> SQLColumnSyntax {
    if let column = table.text.column(named: name.asciiLowercased) { return column }
    throw noColumn(name, of: table.object.name, table.text)
  }

  func noColumn(_ column: String, of table: String, _ text: TableText) -> DatabaseError {
    let columns = text.table.columns.map { "\"\($0.name.value)\"" }.joined(separator: ", ")
    return connection.refusal(
      "no such column: \(column) in table \"\(table)\"", remedy: "Check the name. The columns are \(columns).",
      condition: .statement)
  }

  func indexes(on folded: String) -> [Object] {
    objects.filter {
      $0.kind == .index && !$0.isTemporary && $0.sql != nil && $0.tableName.asciiLowercased == folded
    }
  }

  var tables: [Object] { objects.filter { $0.kind == .table && !$0.isTemporary && !$0.isVirtual } }

  /// Returns the tables and views to which definitions may refer.
  func relations() throws(DatabaseError) -> SQLRelations {
    var relations = SQLRelations()
    for object in objects where object.kind == .table || object.kind == .view {
      let name = object.name.asciiLowercased
      if relations.named[name] != nil {
        // Which table this name refers to depends on the schema of the object that uses it.
        relations.named[name] = .table(nil)
      } else if let text = object.sql.flatMap({ TableText($0) }) {
        relations.named[name] = .table(text.table.columns.map(\.name.folded))
      } else if object.kind == .view, let tree = object.sql.flatMap({ try? SQLTree(parsing: $0) }),
        case .createView(let view) = tree.statement
      {
        relations.named[name] = .view(view, tree.source)
      } else {
        let columns = try DatabaseError.ifPossible { () throws(DatabaseError) in
          object.isTemporary ? nil : try connection.columns(in: object.name, inSchema: schema.name)
        }
        relations.named[name] = .table(columns??.map(\.name.asciiLowercased))
      }
    }
    return relations
  }

  // MARK: Objects of a table

  /// Returns the indexes and triggers of a table, whose name is in lower case, in the order of their creation.
  func companions(of table: String) throws(DatabaseError) -> [Object] {
    var companions: [Object] = []
    for object in objects where object.sql != nil && object.tableName.asciiLowercased == table {
      switch object.kind {
      case .index where !object.isTemporary: companions.append(object)
      // A temporary trigger may be defined on a table of any schema.
      case .trigger:
        let mayBeOfOther = object.isTemporary || schema.isTemporary
        if mayBeOfOther, try !isOfSchema(object, table) { continue }
        companions.append(object)
      default: break
      }
    }
    return companions
  }

  /// Whether a temporary trigger belongs to the table in this schema, not to a table of the same name in another
  /// schema.
  private func isOfSchema(_ trigger: Object, _ table: String) throws(DatabaseError) -> Bool {
    guard let tree = trigger.sql.flatMap({ try? SQLTree(parsing: $0) }),
      case .createTrigger(let definition) = tree.statement
    else { return true }
    if let named = definition.table.schema?.value { return SchemaName(unchecked: named) == schema }
    guard try connection.schemas(holding: table).count > 1 else { return true }
    throw connection.refusal(
      "it is uncertain to which table \(trigger.description) belongs: several schemas have a \"\(table)\"",
      remedy: "Drop the trigger first, and create it again with the schema before the table's name.")
  }

  /// Returns new texts, without the qualifier, for the indexes of a table that qualify columns with the table's name.
  func unqualifiedIndexes(of folded: String) -> [Edit] {
    indexes(on: folded).compactMap { object in
      object.sql.flatMap { TableText.unqualified($0, table: folded) }.map { (object, $0) }
    }
  }

  /// Returns the statement that re-creates an object; adds TEMP, which a temporary object's stored text omits.
  func creation(of object: Object) -> String {
    let sql = object.sql ?? ""
    guard object.isTemporary else { return creation(sql) }
    let source = SQLSource(sql)
    guard let first = source.token(0), source.token(1)?.isWord("temp") != true,
      source.token(1)?.isWord("temporary") != true
    else { return sql }
    return source.replacing([(first.range.upperBound..<first.range.upperBound, " TEMP")])
  }

  /// Returns the statement that creates an object in the schema; adds the schema's name, which the stored text omits.
  func creation(_ sql: String) -> String {
    guard isSchemaNamed else { return sql }
    let source = SQLSource(sql)
    let kinds = ["table", "index", "trigger", "view"]
    guard let kind = source.tokens.prefix(3).firstIndex(where: { token in kinds.contains { token.isWord($0) } }) else {
      return sql
    }
    let isConditional = source.token(kind + 1)?.isWord("if") == true && source.token(kind + 2)?.isWord("not") == true
    guard let name = source.token(isConditional ? kind + 4 : kind + 1) else { return sql }
    return source.replacing([(name.range.lowerBound..<name.range.lowerBound, "\(schema.prefix).")])
  }

  // MARK: Names

  /// Returns a table's name for use in a statement, qualified with its schema if it would be ambiguous otherwise.
  func target(_ table: String) -> String {
    isSchemaNamed ? schema.qualified(table) : table.quotedIdentifier
  }

  func unusedName(for table: String) -> String {
    let names = Set(objects.map { $0.name.asciiLowercased })
    var (name, number) = ("migrator_old_\(table)", 0)
    while names.contains(name.asciiLowercased) {
      number += 1
      name = "migrator_old_\(table)_\(number)"
    }
    return name
  }

  /// Returns the index that a column's definition requests, in the schema of the table; nil if there is none.
  func index(of column: NewColumnDescription, on table: String) -> NewIndexDescription? {
    var index = column.indexDefinition(on: table, ifNotExists: false)
    if isSchemaNamed { index?.schema = schema.name }
    return index
  }

  /// Throws if there is both a temporary table and another table with the name of the table to alter: the engine
  /// confuses the two when it parses the triggers again, and leaves a column's old name in some.
  func refuseHidden(_ table: String) throws(DatabaseError) {
    let holding = try connection.schemas(holding: table)
    guard holding.count > 1, holding.contains(.temporary) else { return }
    throw connection.refusal(
      "there is a temporary table \"\(table)\" and one with that name in \(holding[1].prefix), and the engine confuses them",
      remedy: "Drop the temporary table first.")
  }

  // MARK: Tracking a change

  /// Sets the definition of an object of the schema; `sql` is nil if the text that the engine will write is unknown.
  mutating func setSQL(_ sql: String?, of edited: Object) {
    guard let sql else { return markStale() }
    for index in objects.indices
    where objects[index].kind == edited.kind && objects[index].name == edited.name && !objects[index].isTemporary {
      objects[index].sql = sql
    }
  }

  mutating func apply(_ edits: [Edit]) {
    for (object, sql) in edits where !object.isTemporary { setSQL(sql, of: object) }
  }

  /// Moves objects to the end of the list, as if they were created again.
  mutating func moveToEnd(_ moved: [Object]) {
    // Triggers have a separate namespace: a trigger may have the same name as a table.
    objects.removeAll { object in
      moved.contains { $0.kind == object.kind && $0.name == object.name && $0.isTemporary == object.isTemporary }
    }
    objects += moved
  }

  mutating func markStale() { isStale = true }
}
