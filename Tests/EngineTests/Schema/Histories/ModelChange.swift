import Migrator

/// A change of a schema: with this library's methods, and as the expected result.
struct ModelChange {
  /// The kinds of the steps, in order.
  var kinds: [String] = []

  /// The statements, for messages.
  var text: [String] = []

  /// Makes the change with methods.
  var words: (Database) throws -> Void = { _ in }

  /// The schema afterwards.
  var schema: ModelSchema

  /// The sources of columns' values, over the old rows; other columns keep theirs.
  var sources: [Int: ModelSQL] = [:]

  /// Columns without an old value.
  var added: Set<Int> = []

  /// Whether it removes a column that is in use.
  var hasToBeRefused = false
}

extension ModelGenerator {
  /// Returns a random change of a schema; nil if the random change is impossible for this schema.
  mutating func change(_ schema: ModelSchema) -> ModelChange? {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11: alter(schema)
    case 11...12: recreate(schema)
    case 13...15: rename(schema)
    case 16: create(schema)
    case 17: drop(schema)
    case 18: createObject(schema)
    default: dropObject(schema)
    }
  }

  private mutating func alter(_ schema: ModelSchema) -> ModelChange? {
    let table = pick(schema.tables).number
    var alteration = ModelAlteration(schema: schema, table: table)
    for _ in 0..<pick([1, 1, 2, 3]) { addStep(to: &alteration) }
    guard !alteration.words.isEmpty else { return nil }
    let (name, steps) = (schema.name(table), alteration.words)
    var change = alteration.change
    change.text = ["alter \(name)"] + change.text
    change.words = { db in
      try db.alter(table: name) { t in for step in steps { step(t) } }
    }
    return change
  }

  private mutating func rename(_ schema: ModelSchema) -> ModelChange? {
    let table = pick(schema.tables).number
    let used = Set(schema.tables.map { schema.name($0.number) })
    let (name, newName) = (schema.name(table), pick(ModelNames.tables.filter { !used.contains($0) }))
    var change = ModelChange(schema: schema)
    change.schema.names[table] = newName
    change.kinds = ["rename table"]
    change.text = ["rename \(name) to \(newName)"]
    change.words = { db in try db.rename(table: name, to: newName) }
    return change
  }

  private mutating func create(_ schema: ModelSchema) -> ModelChange? {
    guard schema.tables.count < 4 else { return nil }
    var change = ModelChange(schema: schema)
    let table = table(in: &change.schema)
    change.schema.tables.append(table)
    let (name, made) = (change.schema.name(table.number), change.schema)
    change.kinds = ["create table"]
    change.text = [made.createSQL(table)]
    change.words = { db in
      try db.create(table: name, options: table.options) { t in made.define(table, t) }
    }
    return change
  }

  private mutating func drop(_ schema: ModelSchema) -> ModelChange? {
    let table = pick(schema.tables)
    var change = ModelChange(schema: schema)
    change.schema.tables.removeAll { $0.number == table.number }
    change.schema.objects.removeAll { !$0.isView && $0.table == table.number }
    guard !change.schema.tables.isEmpty, !change.schema.isUsed(table.number),
      !table.columns.contains(where: { change.schema.isUsed($0.number) })
    else { return nil }
    let name = schema.name(table.number)
    change.kinds = ["drop table"]
    change.text = ["drop \(name)"]
    change.words = { db in try db.drop(table: name) }
    return change
  }

  private mutating func createObject(_ schema: ModelSchema) -> ModelChange? {
    let object =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: index(in: schema)
      case 1: view(in: schema)
      default: trigger(in: schema)
      }
    var change = ModelChange(schema: schema)
    change.schema.objects.append(object)
    change.kinds = ["create object"]
    change.text = [schema.text(object.sql)]
    change.words = { db in try object.create(db, in: schema) }
    return change
  }

  private mutating func dropObject(_ schema: ModelSchema) -> ModelChange? {
    guard !schema.objects.isEmpty else { return nil }
    let object = pick(schema.objects)
    var change = ModelChange(schema: schema)
    change.schema.objects.removeAll { $0.name == object.name }
    // Views that refer to a dropped view could no longer be read.
    let mention = "\"\(object.name)\""
    guard !change.schema.objects.contains(where: { schema.text($0.sql).contains(mention) }) else { return nil }
    change.kinds = ["drop object"]
    change.text = ["drop \(object.name)"]
    change.words = { db in try object.drop(db) }
    return change
  }

  /// Returns another definition of a whole table, with columns in another order, one removed and one added.
  private mutating func recreate(_ schema: ModelSchema) -> ModelChange? {
    var change = ModelChange(schema: schema)
    var table = pick(schema.tables)
    let before = table
    let (name, old) = (schema.name(table.number), table.columns)
    if once(in: 2) { table.columns.shuffle(using: &random) }
    if once(in: 3), table.columns.count > 2 {
      let gone = pick(table.columns)
      if !schema.isUsed(gone.number), !gone.clauses.contains(where: \.isKey) {
        table.columns.removeAll { $0.number == gone.number }
      }
    }
    if once(in: 2) {
      let column = newColumn(of: table, besides: before, &change.schema)
      table.columns.append(column)
      change.added.insert(column.number)
    }
    let place = table.columns.indices.randomElement(using: &random) ?? 0
    if once(in: 2), !table.columns[place].isGenerated, !table.columns[place].clauses.contains(where: \.isKey) {
      table.columns[place].type = type(isStrict: table.isStrict)
    }
    if once(in: 3), !table.clauses.isEmpty {
      table.clauses.remove(at: Int.random(in: table.clauses.indices, using: &random))
    }
    if !table.isWithoutRowID, table.hasKey, !table.isAutoincrement, once(in: 6) { table.isWithoutRowID = true }
    if table.isWithoutRowID, !table.hasKey || once(in: 4) { table.isWithoutRowID = false }
    change.schema[table: table.number] = table
    var copying: [String: String] = [:]
    let mapped = pick(old)
    if once(in: 3), table.columns.contains(where: { $0.number == mapped.number && !$0.isGenerated }) {
      let source: ModelSQL = pick(["ifnull(\(name: mapped.number), 5)", "\(name: pick(old).number) /* other */"])
      change.sources[mapped.number] = source
      copying[schema.name(mapped.number)] = schema.text(source)
    }
    guard table != before || !copying.isEmpty else { return nil }
    let made = change.schema
    change.kinds = ["recreate"]
    change.text = ["recreate \(made.createSQL(table)) copying \(copying)"]
    change.words = { db in
      try db.recreate(table: name, options: table.options, copying: copying) { t in
        for column in table.columns { t.column(sql: made.text(column.sql)) }
        for clause in table.clauses { t.constraint(sql: made.text(clause.sql)) }
      }
    }
    return change
  }
}

extension ModelTable {
  fileprivate var options: TableOptions {
    (isStrict ? TableOptions.strict : []).union(isWithoutRowID ? .withoutRowID : [])
  }
}

extension ModelSchema {
  /// Defines a table with methods, and as SQL where there is no method.
  fileprivate func define(_ table: ModelTable, _ t: TableDefinition) {
    for column in table.columns {
      guard column.clausesAreInOrder else {
        t.column(sql: text(column.sql))
        continue
      }
      let builder = t.column(name(column.number), column.type.isEmpty ? nil : ColumnType(column.type))
      for clause in column.clauses { define(clause, builder) }
    }
    for clause in table.clauses { t.constraint(sql: text(clause.sql)) }
  }

  func define(_ clause: ModelColumnClause, _ column: ColumnDefinition) {
    switch clause.kind {
    case .key(let isDescending, let isAutoincrement, let conflict):
      column.primaryKey(
        onConflict: conflict, autoincrement: isAutoincrement, descending: isDescending, named: clause.name)
    case .unique(let conflict): column.unique(onConflict: conflict, named: clause.name)
    case .notNull(let conflict): column.notNull(onConflict: conflict, named: clause.name)
    case .check(let condition): column.check(sql: text(condition), named: clause.name)
    case .defaultValue(let value): column.defaults(sql: value)
    case .collate(let name): column.collate(Collation(name))
    case .references(let reference):
      column.references(
        name(reference.table), column: reference.columns.first.map { name($0) }, onDelete: reference.onDelete,
        onUpdate: reference.onUpdate, deferred: reference.isDeferred, named: clause.name)
    case .generated(let expression, let isStored):
      column.generatedAs(sql: text(expression), isStored ? .stored : .virtual)
    }
  }
}

extension ModelColumn {
  /// Whether methods put the clauses in this order.
  var clausesAreInOrder: Bool { clauses.map(\.order) == clauses.map(\.order).sorted() }
}

extension ModelColumnClause {
  /// The position that a column builder gives the clause.
  var order: Int {
    switch kind {
    case .key, .unique: 0
    case .notNull: 1
    case .check: 2
    case .defaultValue: 3
    case .collate: 4
    case .references: 5
    case .generated: 6
    }
  }
}
