internal import Migrator
internal import SQLSyntax

/// The stored definitions of a schema and of the temporary one beside it, as they are between two steps of a change.
struct SchemaCatalog {
  /// A row of the schema table (https://www.sqlite.org/schematab.html).
  struct Object {
    let kind: SchemaObject.Kind
    let name: String
    let tableName: String
    var sql: String?

    /// Whether the object is in the temporary schema, and the catalog is about another one.
    let isTemporary: Bool

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
      return ModuleArguments(sql).options.first { $0.name == name }?.value.asciiLowercased
    }

    var description: String { "\(isTemporary ? "temporary " : "")\(kind.rawValue) \"\(name)\"" }
  }

  /// An object with the text that is to take its text's place.
  typealias Edit = (object: Object, sql: String)

  /// A table that the engine keeps, with its stored definition read into parts.
  struct Table {
    let object: Object
    let text: TableText
  }

  let connection: any SQLiteConnection
  /// The schema whose tables are altered.
  let schema: SchemaName
  /// Whether statements name the schema, so that nothing else can be meant.
  let isSchemaNamed: Bool
  /// The objects in the order of their creation, those of the temporary schema last.
  private(set) var objects: [Object] = []
  /// Whether an engine's own statement changed definitions in a way that is not followed here.
  private(set) var isStale = false

  /// A catalog without any definition, for a change that depends on none.
  init(unread connection: any SQLiteConnection, _ schema: SchemaName) {
    self.connection = connection
    self.schema = schema
    isSchemaNamed = true
  }

  /// Reads a schema, and the temporary one where that is another.
  init(_ connection: any SQLiteConnection, _ schema: SchemaName = .main, isSchemaNamed: Bool = false)
    throws(DatabaseError)
  {
    self.connection = connection
    self.schema = schema
    self.isSchemaNamed = isSchemaNamed
    let schemas = schema.isTemporary ? [(schema, false)] : [(schema, false), (.temporary, true)]
    for (schema, isTemporary) in schemas {
      let rows = try connection.rows(
        "SELECT type, name, tbl_name, sql FROM \(schema.definitions) ORDER BY rowid")
      for row in rows {
        guard case .text(let type) = row[0], let kind = SchemaObject.Kind(rawValue: type),
          case .text(let name) = row[1], case .text(let tableName) = row[2]
        else { continue }
        let sql: String? = if case .text(let text) = row[3] { text } else { nil }
        objects.append(Object(kind: kind, name: name, tableName: tableName, sql: sql, isTemporary: isTemporary))
      }
    }
  }

  /// Reads the definitions among which a table is altered; without the name of a schema, a temporary table comes first,
  /// as it does for the engine.
  init(_ connection: any SQLiteConnection, holding table: String, in schema: String?) throws(DatabaseError) {
    let temporary: String? = try connection.isTemporary(table) ? "temp" : nil
    let schema = schema ?? temporary
    try self.init(connection, connection.schemaName(schema), isSchemaNamed: schema != nil)
  }

  // MARK: Objects

  /// The table or view of a name, given in lower case; a temporary one comes first, as it does for the engine where
  /// statements do not name the schema.
  func table(_ folded: String) -> Object? {
    let found = objects.filter { ($0.kind == .table || $0.kind == .view) && $0.name.asciiLowercased == folded }
    return found.first { $0.isTemporary != isSchemaNamed } ?? (isSchemaNamed ? nil : found.first)
  }

  /// Reads the definition of a table of the schema, in order to change its text.
  func editableTable(_ name: String) throws(DatabaseError) -> Table {
    guard !isStale else {
      throw connection.refusal(
        "the earlier steps of this change leave a definition of \"\(name)\" that cannot be told beforehand",
        remedy: "Make the steps in an alter(table:) of their own each.")
    }
    guard let object = table(name.asciiLowercased) else {
      throw connection.refusal("no such table: \(name)", remedy: "Check the table's name.", condition: .statement)
    }
    guard object.kind == .table, !object.isTemporary, !object.isVirtual, let sql = object.sql,
      let text = TableText(sql)
    else {
      throw connection.refusal(
        "\(connection.versionText) cannot alter the columns of \(object.description)",
        remedy: "Drop it and create it anew.")
    }
    return Table(object: object, text: text)
  }

  func column(_ name: String, of table: Table) throws(DatabaseError) -> SQLColumnSyntax {
    if let column = table.text.column(named: name.asciiLowercased) { return column }
    throw connection.refusal(
      "no such column: \(name) in table \"\(table.object.name)\"", remedy: "Check the column's name.",
      condition: .statement)
  }

  /// The indexes of a table of the schema that have a definition of their own.
  func indexes(on folded: String) -> [Object] {
    objects.filter {
      $0.kind == .index && !$0.isTemporary && $0.sql != nil && $0.tableName.asciiLowercased == folded
    }
  }

  var tables: [Object] { objects.filter { $0.kind == .table && !$0.isTemporary && !$0.isVirtual } }

  /// The tables and views that definitions may name.
  func relations() throws(DatabaseError) -> SQLRelations {
    var relations = SQLRelations()
    for object in objects where object.kind == .table || object.kind == .view {
      let name = object.name.asciiLowercased
      if relations.named[name] != nil {
        // Which one is meant depends on where it is named.
        relations.named[name] = .table(nil)
      } else if let text = object.sql.flatMap({ TableText($0) }) {
        relations.named[name] = .table(text.table.columns.map(\.name.folded))
      } else if object.kind == .view, let tree = object.sql.flatMap({ try? SQLTree(parsing: $0) }),
        case .createView(let view) = tree.statement
      {
        relations.named[name] = .view(view, tree.source)
      } else {
        let columns =
          object.isTemporary ? nil : try? connection.columns(in: object.name, inSchema: schema.name)
        relations.named[name] = .table(columns?.map(\.name.asciiLowercased))
      }
    }
    return relations
  }

  // MARK: Companions of a table

  /// The indexes and triggers that go with a table, its name given in lower case, in the order of their creation.
  func companions(of table: String) throws(DatabaseError) -> [Object] {
    var companions: [Object] = []
    for object in objects where object.sql != nil && object.tableName.asciiLowercased == table {
      switch object.kind {
      case .index where !object.isTemporary: companions.append(object)
      // A temporary trigger may belong to a table of any schema.
      case .trigger:
        let mayBeOfOther = object.isTemporary || schema.isTemporary
        if mayBeOfOther, try !isOfSchema(object, table) { continue }
        companions.append(object)
      default: break
      }
    }
    return companions
  }

  /// Whether a temporary trigger on a table of a name belongs to that of the schema.
  private func isOfSchema(_ trigger: Object, _ table: String) throws(DatabaseError) -> Bool {
    guard let tree = trigger.sql.flatMap({ try? SQLTree(parsing: $0) }),
      case .createTrigger(let definition) = tree.statement
    else { return true }
    if let named = definition.table.schema?.value { return SchemaName(unchecked: named) == schema }
    guard try connection.schemas(holding: table).count > 1 else { return true }
    throw connection.refusal(
      "it is not certain to which table \(trigger.description) belongs: several schemas have a \"\(table)\"",
      remedy: "Drop the trigger first, and create it anew with the schema before the table's name.")
  }

  /// The definitions of a table's indexes that qualify columns with the table's name, without that.
  func unqualifiedIndexes(of folded: String) -> [Edit] {
    indexes(on: folded).compactMap { object in
      object.sql.flatMap { TableText.unqualified($0, table: folded) }.map { (object, $0) }
    }
  }

  /// The statement that creates an object again; the stored text of a temporary one does not say that it is.
  func creation(of object: Object) -> String {
    let sql = object.sql ?? ""
    guard object.isTemporary else { return creation(sql) }
    let source = SQLSource(sql)
    guard let first = source.token(0), source.token(1)?.isWord("temp") != true,
      source.token(1)?.isWord("temporary") != true
    else { return sql }
    return source.replacing([(first.range.upperBound..<first.range.upperBound, " TEMP")])
  }

  /// The statement that creates an object in the schema, from its stored text, which does not name the schema.
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

  /// A table's name in a statement, qualified with its schema where it would be ambiguous otherwise.
  func target(_ table: String) -> String {
    isSchemaNamed ? schema.qualified(table) : table.quotedIdentifier
  }

  /// A name that no object has, made of a table's.
  func unusedName(for table: String) -> String {
    let names = Set(objects.map { $0.name.asciiLowercased })
    var (name, number) = ("migrator_old_\(table)", 0)
    while names.contains(name.asciiLowercased) {
      number += 1
      name = "migrator_old_\(table)_\(number)"
    }
    return name
  }

  /// The index that comes with a column, in its table's schema; nil when there is none.
  func index(of column: NewColumnDescription, on table: String) -> NewIndexDescription? {
    var index = column.indexDefinition(on: table, ifNotExists: false)
    if isSchemaNamed { index?.schema = schema.name }
    return index
  }

  /// Refuses to alter a table that a temporary one of its name hides, or that hides another; the engine takes one for
  /// the other when it reads triggers again, and leaves some with a column's old name.
  func refuseHidden(_ table: String) throws(DatabaseError) {
    let holding = try connection.schemas(holding: table)
    guard holding.count > 1, holding.contains(.temporary) else { return }
    throw connection.refusal(
      "there is a temporary \"\(table)\" beside that of \(holding[1].prefix), which the engine takes for the other",
      remedy: "Drop the temporary one first.")
  }

  // MARK: Following a change

  /// Sets the definition of an object of the schema; nil when what the engine makes of it is not known.
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

  /// Takes objects out and puts them back after all others, as their creation does.
  mutating func moveToEnd(_ moved: [Object]) {
    // Triggers have names of their own: one may be called like a table.
    objects.removeAll { object in
      moved.contains { $0.kind == object.kind && $0.name == object.name && $0.isTemporary == object.isTemporary }
    }
    objects += moved
  }

  mutating func markStale() { isStale = true }
}
