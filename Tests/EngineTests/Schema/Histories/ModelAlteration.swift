import Migrator

/// The steps of an `alter(table:)` so far.
struct ModelAlteration {
  var change: ModelChange
  let number: Int
  var words: [(TableAlteration) -> Void] = []

  /// The columns that earlier steps touched: the effect of two steps on one column depends on when rows are copied.
  var touched: Set<Int> = []

  var hasSetKey = false

  /// Whether constraints of earlier steps were already in force: a column is renamed only after these are done.
  var hasEnforcedRules: Bool { (change.kinds.lastIndex(of: "rename column") ?? 0) > 0 }

  init(schema: ModelSchema, table: Int) {
    change = ModelChange(schema: schema)
    number = table
  }

  var schema: ModelSchema { change.schema }

  var table: ModelTable {
    get { change.schema[table: number] }
    set { change.schema[table: number] = newValue }
  }

  mutating func step(
    _ kind: String, _ text: String = "", touching columns: Set<Int> = [], _ word: @escaping (TableAlteration) -> Void
  ) {
    change.kinds.append(kind)
    change.text.append("\(kind) \(text)")
    touched.formUnion(columns)
    words.append(word)
  }
}

extension ModelGenerator {
  /// Adds a step, unless the random step is impossible for the table.
  mutating func addStep(to alteration: inout ModelAlteration) {
    switch Int.random(in: 0..<16, using: &random) {
    case 0...1: add(to: &alteration)
    case 2...3: rename(in: &alteration)
    case 4...5: drop(from: &alteration)
    case 6...8: changeColumn(in: &alteration)
    case 9...10: addConstraint(to: &alteration)
    case 11: dropNamed(from: &alteration)
    case 12: dropConstraint(from: &alteration)
    case 13...14: setKey(in: &alteration)
    default: reorder(in: &alteration)
    }
  }

  private mutating func unusedName(in table: ModelTable, _ schema: ModelSchema) -> String {
    let used = Set(table.columns.map { schema.name($0.number) })
    return pick(ModelNames.columns.filter { !used.contains($0) })
  }

  /// Returns a column that a table does not have yet.
  mutating func newColumn(of table: ModelTable, besides old: ModelTable, _ schema: inout ModelSchema) -> ModelColumn {
    var both = table
    both.columns += old.columns
    let name = unusedName(in: both, schema)
    var column = ModelColumn(number: schema.number(name), type: type(isStrict: table.isStrict))
    var extended = table
    extended.columns.append(column)
    column.clauses = clauses(of: column, at: table.columns.count, in: extended, schema)
    return column
  }

  private mutating func add(to alteration: inout ModelAlteration) {
    var schema = alteration.schema
    var column = newColumn(of: alteration.table, besides: alteration.table, &schema)
    let isSQL = once(in: 4)
    if !isSQL { column.clauses.sort { $0.order < $1.order } }
    alteration.change.schema = schema
    alteration.table.columns.append(column)
    alteration.change.added.insert(column.number)
    let text = alteration.schema.text(column.sql)
    let (made, added) = (alteration.schema, column)
    alteration.step("add column", text, touching: [column.number]) { t in
      guard !isSQL else { return t.addColumn(sql: text) }
      let builder = t.add(column: made.name(added.number), added.type.isEmpty ? nil : ColumnType(added.type))
      for clause in added.clauses { made.define(clause, builder) }
    }
  }

  private mutating func rename(in alteration: inout ModelAlteration) {
    let column = pick(alteration.table.columns).number
    let newName = unusedName(in: alteration.table, alteration.schema)
    let name = alteration.schema.name(column)
    alteration.change.schema.names[column] = newName
    alteration.step("rename column", "\(name) to \(newName)") { $0.rename(column: name, to: newName) }
  }

  private mutating func drop(from alteration: inout ModelAlteration) {
    let column = pick(alteration.table.columns)
    guard alteration.table.columns.count > 1, !alteration.touched.contains(column.number) else { return }
    let isUsed =
      alteration.schema.isUsed(column.number) || column.clauses.contains(where: \.isKey)
    if isUsed, !once(in: 8) { return }
    alteration.change.hasToBeRefused = alteration.change.hasToBeRefused || isUsed
    alteration.table.columns.removeAll { $0.number == column.number }
    let name = alteration.schema.name(column.number)
    alteration.step("drop column", name, touching: [column.number]) { $0.drop(column: name) }
  }

  private mutating func addConstraint(to alteration: inout ModelAlteration) {
    let (table, schema) = (alteration.table, alteration.schema)
    let clause = tableClause(of: table, schema)
    guard alteration.touched.isDisjoint(with: clause.sql.names) else { return }
    alteration.table.clauses.append(clause)
    let name = { (number: Int) in schema.name(number) }
    alteration.step("add constraint", schema.text(clause.sql), touching: clause.sql.names) { t in
      switch clause.kind {
      case .key: break
      case .unique(let parts, let conflict):
        t.addUniqueKey(parts.map { $0.word(in: schema) }, onConflict: conflict, named: clause.name)
      case .check(let condition): t.addCheck(sql: schema.text(condition), named: clause.name)
      case .foreignKey(let columns, let reference):
        t.addForeignKey(
          columns.map(name), references: name(reference.table),
          columns: reference.columns.isEmpty ? nil : reference.columns.map(name), onDelete: reference.onDelete,
          onUpdate: reference.onUpdate, deferred: reference.isDeferred, named: clause.name)
      }
    }
  }

  private mutating func dropNamed(from alteration: inout ModelAlteration) {
    let names =
      alteration.table.clauses.compactMap(\.name) + alteration.table.columns.flatMap { $0.clauses.compactMap(\.name) }
    guard let name = names.randomElement(using: &random), !alteration.hasEnforcedRules else { return }
    alteration.table.clauses.removeAll { $0.name == name }
    for index in alteration.table.columns.indices {
      alteration.table.columns[index].clauses.removeAll { $0.name == name }
    }
    alteration.step("drop constraint", name) { $0.drop(constraint: name) }
  }

  private mutating func dropConstraint(from alteration: inout ModelAlteration) {
    let (table, schema) = (alteration.table, alteration.schema)
    let kinds = table.clauses.map(\.kind) + table.columns.flatMap { $0.kindsAsTables }
    guard let kind = kinds.randomElement(using: &random), !alteration.hasEnforcedRules else { return }
    alteration.table.removeClauses(like: kind)
    let names = { (columns: [Int]) in columns.map { schema.name($0) } }
    switch kind {
    case .key: alteration.table = table
    case .unique(let parts, _):
      let columns = names(parts.map(\.column))
      alteration.step("drop unique key", "\(columns)") { $0.dropUniqueKey(columns) }
    case .check(let condition):
      let sql = schema.text(condition)
      alteration.step("drop check", sql) { $0.dropCheck(sql: sql) }
    case .foreignKey(let columns, _):
      let columns = names(columns)
      alteration.step("drop foreign key", "\(columns)") { $0.dropForeignKey(columns) }
    }
  }

  private mutating func setKey(in alteration: inout ModelAlteration) {
    let parts = once(in: 3) ? nil : parts(of: alteration.table)
    let schema = alteration.schema
    guard alteration.touched.isDisjoint(with: (parts ?? []).map(\.column)) else { return }
    // A column that was the rowid between two keys remains the rowid.
    if parts == nil && (!alteration.table.hasKey || alteration.hasEnforcedRules) || alteration.hasSetKey { return }
    alteration.hasSetKey = true
    let (name, conflict) = (self.name(), conflict())
    alteration.table.setKey(parts.map { ModelTableClause(name: name, kind: .key($0, conflict)) })
    guard let parts else { return alteration.step("drop primary key") { $0.dropPrimaryKey() } }
    alteration.step(
      "set primary key", "\(parts.map { schema.text($0.sql) })", touching: Set(alteration.table.columns.map(\.number))
    ) { t in
      t.setPrimaryKey(parts.map { $0.word(in: schema) }, onConflict: conflict, named: name)
    }
  }

  private mutating func reorder(in alteration: inout ModelAlteration) {
    let table = alteration.table
    let first = Array(table.columns.shuffled(using: &random).prefix(pick([1, 2, table.columns.count])))
    alteration.table.columns = first + table.columns.filter { !first.contains($0) }
    let names = first.map { alteration.schema.name($0.number) }
    alteration.step("reorder", "\(names)") { $0.reorder(columns: names) }
  }
}

extension ModelKeyPart {
  fileprivate func word(in schema: ModelSchema) -> KeyColumn {
    KeyColumn(schema.name(column), collation: collation.map { Collation($0) }, isDescending: isDescending)
  }
}

extension ModelColumn {
  /// The constraints in the column's definition that could also be table constraints.
  fileprivate var kindsAsTables: [ModelTableClause.Kind] {
    clauses.compactMap { clause in
      switch clause.kind {
      case .unique(let conflict): .unique([ModelKeyPart(column: number)], conflict)
      case .check(let condition): .check(condition)
      case .references(let reference): .foreignKey([number], reference)
      default: nil
      }
    }
  }
}

extension ModelTable {
  /// Removes all constraints that a method for dropping a constraint matches.
  fileprivate mutating func removeClauses(like kind: ModelTableClause.Kind) {
    clauses.removeAll { $0.kind.isDropped(with: kind) }
    for index in columns.indices {
      let column = columns[index]
      columns[index].clauses.removeAll { clause in
        let alone = ModelColumn(number: column.number, clauses: [clause])
        return alone.kindsAsTables.contains { $0.isDropped(with: kind) }
      }
    }
  }

  fileprivate mutating func setKey(_ key: ModelTableClause?) {
    for index in columns.indices {
      columns[index].clauses.removeAll { if case .key = $0.kind { true } else { false } }
    }
    let place = clauses.firstIndex { if case .key = $0.kind { true } else { false } }
    if let place { clauses.remove(at: place) }
    if let key { clauses.insert(key, at: place ?? clauses.count) }
  }
}

extension ModelTableClause.Kind {
  fileprivate func isDropped(with other: ModelTableClause.Kind) -> Bool {
    switch (self, other) {
    case (.unique(let parts, _), .unique(let others, _)): parts.map(\.column) == others.map(\.column)
    case (.check(let condition), .check(let other)): condition == other
    case (.foreignKey(let columns, _), .foreignKey(let others, _)): columns == others
    default: false
    }
  }
}
