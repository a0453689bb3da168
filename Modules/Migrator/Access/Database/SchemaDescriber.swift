internal import SQLSyntax

/// A reader that describes a schema completely, from the engine and from the definitions of its objects.
///
/// The engine takes precedence: only the engine knows the columns of a view or the index of a key. Names of
/// constraints, ON CONFLICT clauses, CHECKs, collations, deferral and expressions are found only in the definitions.
struct SchemaDescriber {
  let connection: any DatabaseConnection
  /// The name of an attached database's schema, or of the temporary schema; nil for the main schema.
  var schema: String?
  var readsViewColumns = true

  func snapshot() throws(DatabaseError) -> SchemaSnapshot {
    var snapshot = try connection.schema(named: schema)
    let virtual = snapshot.objects.filter(\.isVirtual)
    let definitions = Self.indexes(among: snapshot.objects)
    for object in snapshot.objects {
      switch object.kind {
      case .table:
        var table = try self.table(object)
        if object.isShadow { table.shadowOf = object.virtualTable(among: virtual) }
        snapshot.tables.append(table)
        if !object.isVirtual { snapshot.indexes += try indexes(on: object, definitions) }
      case .view: snapshot.views.append(try view(object))
      case .trigger: if let trigger = trigger(object) { snapshot.triggers.append(trigger) }
      case .index: break
      }
    }
    return snapshot
  }

  func table(_ object: SchemaObject) throws(DatabaseError) -> TableDescription {
    var table = TableDescription(name: object.name)
    let syntax = object.syntax
    table.columns = try columns(of: object) ?? []
    if case .createVirtualTable(let virtual)? = syntax?.statement, let source = syntax?.source {
      table.module = virtual.module.value
      table.moduleArguments = virtual.arguments.map { source.text(of: $0) }
      return table
    }
    guard case .createTable(let definition)? = syntax?.statement, let source = syntax?.source else { return table }
    let describer = TableDescriber(source: source, definition: definition)
    describer.fill(&table)
    let foreignKeys = try connection.foreignKeys(on: object.name, inSchema: schema)
    table.foreignKeys = describer.completed(foreignKeys)
    if var key = table.primaryKey, !table.isWithoutRowID {
      let indexes = try connection.indexes(on: object.name, inSchema: schema)
      let isInteger = table.columns.contains {
        $0.primaryKeyIndex > 0 && $0.declaredType.asciiLowercased == "integer"
      }
      key.isRowID = isInteger && key.columns.count == 1 && !indexes.contains { $0.origin == .primaryKey }
      table.primaryKey = key
    }
    return table
  }

  static func indexes(among objects: [SchemaObject]) -> [String: SchemaObject] {
    Dictionary(objects.filter { $0.kind == .index }.map { ($0.name, $0) }) { first, _ in first }
  }

  func indexes(
    on table: SchemaObject, _ definitions: [String: SchemaObject]
  ) throws(DatabaseError) -> [IndexDescription] {
    var indexes = try connection.indexes(on: table.name, inSchema: schema)
    for place in indexes.indices where indexes[place].origin == .createIndex {
      guard let syntax = definitions[indexes[place].name]?.syntax,
        case .createIndex(let definition) = syntax.statement
      else { continue }
      indexes[place].condition = definition.condition.map { syntax.source.text(of: $0.tokens) }
      for (column, part) in zip(indexes[place].columns.indices, definition.columns)
      where indexes[place].columns[column].name == nil {
        indexes[place].columns[column].sql = syntax.source.text(of: part.expression.tokens)
      }
    }
    return indexes
  }

  private func view(_ object: SchemaObject) throws(DatabaseError) -> ViewDescription {
    let columns = readsViewColumns ? try columns(of: object) : nil
    var view = ViewDescription(name: object.name, columns: columns, tables: [], sql: "")
    guard let syntax = object.syntax, case .createView(let definition) = syntax.statement else { return view }
    view.tables = SQLNames(in: syntax).tables
    view.sql = syntax.source.text(of: definition.select.tokens)
    return view
  }

  private func trigger(_ object: SchemaObject) -> TriggerDescription? {
    guard let syntax = object.syntax, case .createTrigger(let definition) = syntax.statement else { return nil }
    return TriggerDescription(
      name: object.name, table: object.tableName, timing: NewTriggerDescription.Timing(definition.timing),
      event: NewTriggerDescription.Event(definition.event),
      condition: definition.condition.map { syntax.source.text(of: $0.tokens) }, tables: SQLNames(in: syntax).tables)
  }

  /// Returns the columns as the engine reports them; nil if it cannot, for example because a view uses a table or a
  /// module that is missing, or because a virtual table is damaged.
  private func columns(of object: SchemaObject) throws(DatabaseError) -> [ColumnDescription]? {
    do throws(DatabaseError) {
      return try connection.columns(in: object.name, inSchema: schema)
    } catch {
      let isOfObject = error.condition == .statement || error.condition == .other
      guard isOfObject && object.kind == .view || object.isVirtual && !error.concernsEverything else { throw error }
      return nil
    }
  }
}

extension NewTriggerDescription.Timing {
  /// Creates the timing of a parsed trigger, which is BEFORE if the definition does not specify a timing.
  fileprivate init(_ timing: SQLCreateTrigger.Timing?) {
    switch timing {
    case .before, nil: self = .before
    case .after: self = .after
    case .insteadOf: self = .insteadOf
    }
  }
}

extension NewTriggerDescription.Event {
  fileprivate init(_ event: SQLCreateTrigger.Event) {
    switch event {
    case .insert: self = .insert
    case .delete: self = .delete
    case .update(let columns): self = .update(of: columns.map(\.value))
    }
  }
}
