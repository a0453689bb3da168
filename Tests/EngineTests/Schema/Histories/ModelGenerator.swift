import Migrator
import TestEngines

/// Creates schemas, rows and expressions from a seed.
struct ModelGenerator {
  var random: SeededGenerator
  let abilities: EngineAbilities

  init(seed: UInt64, abilities: EngineAbilities) {
    random = SeededGenerator(seed: seed)
    self.abilities = abilities
  }

  mutating func pick<Element>(_ elements: some Collection<Element>) -> Element {
    guard let element = elements.randomElement(using: &random) else { preconditionFailure("There is nothing to pick.") }
    return element
  }

  /// Returns true once in the given number of times, on average.
  mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

  mutating func schema() -> ModelSchema {
    var schema = ModelSchema()
    for _ in 0..<Int.random(in: 1...3, using: &random) { schema.tables.append(table(in: &schema)) }
    for _ in 0..<Int.random(in: 0...2, using: &random) { addObject(index(in: schema), to: &schema) }
    for _ in 0..<Int.random(in: 0...2, using: &random) { addObject(view(in: schema), to: &schema) }
    for _ in 0..<Int.random(in: 0...3, using: &random) { addObject(trigger(in: schema), to: &schema) }
    return schema
  }

  func addObject(_ object: ModelObject, to schema: inout ModelSchema) {
    if !schema.objects.contains(where: { $0.name == object.name }) { schema.objects.append(object) }
  }

  // MARK: Tables

  mutating func table(in schema: inout ModelSchema) -> ModelTable {
    let used = Set(schema.tables.map { schema.name($0.number) })
    var table = ModelTable(number: schema.number(pick(ModelNames.tables.filter { !used.contains($0) })))
    table.isStrict = abilities.contains(.strictTables) && once(in: 6)
    var pool = ModelNames.columns
    for _ in 0..<Int.random(in: 2...5, using: &random) {
      let name = pick(pool)
      pool.removeAll { $0 == name }
      table.columns.append(ModelColumn(number: schema.number(name), type: type(isStrict: table.isStrict)))
    }
    let key = Int.random(in: 0..<6, using: &random)
    if key <= 1 {
      if once(in: 2) { table.columns[0].type = "INTEGER" }
      let isInteger = table.columns[0].type == "INTEGER"
      let isDescending = once(in: 6)
      let isAutoincrement = isInteger && !isDescending && once(in: 2)
      table.columns[0].clauses = [
        ModelColumnClause(
          name: name(),
          kind: .key(isDescending: isDescending, isAutoincrement: isAutoincrement, isInteger ? nil : conflict()))
      ]
      table.isWithoutRowID = !isAutoincrement && once(in: 3)
    }
    for place in table.columns.indices where place > 0 || key > 1 {
      table.columns[place].clauses = clauses(of: table.columns[place], at: place, in: table, schema)
    }
    if key == 2 {
      let parts = self.parts(of: table)
      table.clauses.append(ModelTableClause(name: name(), kind: .key(parts, conflict())))
      table.isWithoutRowID = once(in: 3)
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) { table.clauses.append(tableClause(of: table, schema)) }
    return table
  }

  mutating func type(isStrict: Bool) -> String {
    // SQLite 3.15 computes indexed expressions of REAL values differently for inserted and deleted
    // rows, and its integrity check finds rows missing.
    let real = abilities.contains(.generatedColumns) ? "REAL" : "NUMERIC"
    return isStrict
      ? pick(["TEXT", "INTEGER", "ANY", "REAL"]) : pick(["TEXT", "INTEGER", "", "VARCHAR(10)", real, "BLOB"])
  }

  mutating func conflict() -> ConflictResolution? {
    once(in: 4) ? pick([.ignore, .replace, .fail, .abort, .rollback]) : nil
  }

  /// Returns a resolution; SQLite 3.15 accepts NULL if a default that is NULL would replace it.
  mutating func notNullConflict() -> ConflictResolution? {
    let conflict = conflict()
    return conflict == .replace && !abilities.contains(.generatedColumns) ? nil : conflict
  }

  mutating func name() -> String? { once(in: 4) ? "rule_\(Int.random(in: 0..<1000, using: &random))" : nil }

  mutating func clauses(
    of column: ModelColumn, at place: Int, in table: ModelTable, _ schema: ModelSchema
  ) -> [ModelColumnClause] {
    // Engines accept values of a generated column in a STRICT table that do not match its type.
    if place > 0, abilities.contains(.generatedColumns), ["", "TEXT", "ANY"].contains(column.type), once(in: 4) {
      let base = pick(table.columns.prefix(place))
      return [
        ModelColumnClause(kind: .generated("\(name: base.number) || 'g'", isStored: once(in: 2)))
      ]
    }
    var clauses: [ModelColumnClause] = []
    if once(in: 5) { clauses.append(ModelColumnClause(name: name(), kind: .notNull(notNullConflict()))) }
    if once(in: 4) { clauses.append(ModelColumnClause(kind: .defaultValue(defaultValue(of: table)))) }
    if once(in: 5) {
      clauses.append(ModelColumnClause(name: name(), kind: .check(condition(of: [column.number]))))
    }
    if once(in: 6) { clauses.append(ModelColumnClause(kind: .collate(pick(["NOCASE", "rtrim"])))) }
    if once(in: 9) { clauses.append(ModelColumnClause(name: name(), kind: .unique(conflict()))) }
    if once(in: 6) {
      clauses.append(ModelColumnClause(name: name(), kind: .references(reference(from: table, schema, count: 1))))
    }
    return clauses.shuffled(using: &random)
  }

  mutating func tableClause(of table: ModelTable, _ schema: ModelSchema) -> ModelTableClause {
    let columns = table.columns.map(\.number)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return ModelTableClause(name: name(), kind: .unique(parts(of: table), conflict()))
    case 1: return ModelTableClause(name: name(), kind: .check(condition(of: columns)))
    default:
      let chosen = Array(columns.shuffled(using: &random).prefix(once(in: 2) ? 1 : 2))
      let reference = reference(from: table, schema, count: chosen.count)
      return ModelTableClause(name: name(), kind: .foreignKey(chosen, reference))
    }
  }

  mutating func parts(of table: ModelTable) -> [ModelKeyPart] {
    let plain = table.columns.filter { !$0.isGenerated }
    // Without a plain column the table is invalid, and both ways must refuse it.
    let columns = (plain.isEmpty ? table.columns : plain).map(\.number).shuffled(using: &random)
    return columns.prefix(once(in: 2) ? 1 : 2).map { column in
      ModelKeyPart(column: column, collation: once(in: 6) ? "nocase" : nil, isDescending: once(in: 4))
    }
  }

  mutating func reference(from table: ModelTable, _ schema: ModelSchema, count: Int) -> ModelReference {
    let parent = pick(schema.tables + [table])
    let columns = parent.columns.map(\.number)
    var reference = ModelReference(table: parent.number)
    if columns.count >= count, once(in: 2) {
      reference.columns = Array(columns.shuffled(using: &random).prefix(count))
    }
    if once(in: 3) { reference.onDelete = pick([.cascade, .setNull, .restrict, .noAction]) }
    if once(in: 4) { reference.onUpdate = pick([.cascade, .setDefault]) }
    reference.isDeferred = once(in: 4)
    return reference
  }

  // MARK: Expressions and values

  mutating func condition(of columns: [Int]) -> ModelSQL {
    let (a, b) = (pick(columns), pick(columns))
    return pick([
      "\(name: a) IS NOT 'no'", "length(\(name: a)) < 50 /* not long */", "\(name: a) IN (1, 2) OR \(name: b) IS NOT 7",
      "typeof(\(name: a)) <> 'nothing' AND \(name: b) IS NOT x'ff'", "\(name: a) > 0",
      "CASE WHEN \(name: a) THEN 1 ELSE 2 END > abs(0)", "\(name: a) || \(name: b) <> 'nono'",
      "\(name: a) COLLATE nocase NOT LIKE 'z%'",
    ])
  }

  mutating func defaultValue(of table: ModelTable) -> String {
    table.isStrict ? pick(["1", "NULL"]) : pick(["1", "-2.5", "'a, ('''", "(1 + 2)", "NULL", "x'00'", "(lower('Q'))"])
  }

  mutating func value(of column: ModelColumn) -> String {
    if once(in: 6) { return "NULL" }
    let integers = ["0", "1", "2", "3", "77"]
    switch column.type {
    case "INTEGER": return pick(integers)
    case "TEXT": return pick(["'a'", "'A '", "'12'", "'no'", "'Zoë'"])
    case "REAL": return pick(["1.5", "2", "-0.25"])
    default: return pick(integers + ["'a'", "'2'", "x'00'", "1.5", "''"])
    }
  }

  mutating func insertion(into table: ModelTable, _ schema: ModelSchema) -> String {
    let columns = table.ordinary.filter { _ in !once(in: 6) }
    guard !columns.isEmpty else { return "INSERT INTO \(schema.text("\(name: table.number)")) DEFAULT VALUES" }
    let values = columns.map { value(of: $0) }.joined(separator: ", ")
    return schema.text(
      "INSERT INTO \(name: table.number)(\(names: columns.map(\.number))) VALUES (\(raw: values))")
  }

  /// Returns a statement that changes rows.
  mutating func work(_ schema: ModelSchema) -> String {
    let table = pick(schema.tables)
    let (first, second) = (pick(table.columns), pick(table.columns))
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where !first.isGenerated:
      return schema.text(
        "UPDATE \(name: table.number) SET \(name: first.number) = \(raw: value(of: first)) WHERE \(name: second.number) IS \(raw: value(of: second))"
      )
    case 1:
      return schema.text(
        "DELETE FROM \(name: table.number) WHERE \(name: second.number) IS \(raw: value(of: second))")
    default: return insertion(into: table, schema)
    }
  }
}
