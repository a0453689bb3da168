import Migrator

// Indexes, views and triggers.
extension ModelGenerator {
  private mutating func freeName(_ prefix: String, _ schema: ModelSchema) -> String {
    let taken = Set(schema.objects.map(\.name))
    return (0...).lazy.map { "\(prefix) \($0)" }.first { !taken.contains($0) } ?? prefix
  }

  mutating func index(in schema: ModelSchema) -> ModelObject {
    let table = pick(schema.tables)
    let (a, b) = (pick(table.columns).number, pick(table.columns).number)
    let parts: ModelSQL = pick([
      "\(name: a)", "\(name: a) DESC", "\(name: a) COLLATE \"NOCASE\", \(name: b)",
      "lower(\(name: a)), \(name: b) DESC",
    ])
    let condition = once(in: 3) ? condition(of: [b]) : nil
    // Unique indexes are rare, since most rows are equal.
    return ModelObject(
      name: freeName("i", schema), table: table.number,
      definition: .index(isUnique: once(in: 6), parts, condition: condition))
  }

  mutating func view(in schema: ModelSchema) -> ModelObject {
    let (table, other) = (pick(schema.tables), pick(schema.tables))
    let (a, b, c) = (pick(table.columns).number, pick(table.columns).number, pick(other.columns).number)
    let name = freeName("v", schema)
    let views = schema.objects.filter { !$0.columns.isEmpty }
    var columns: [ModelSQL] = []
    let query: ModelSQL
    switch Int.random(in: 0..<6, using: &random) {
    case 0: query = "SELECT * FROM \(name: table.number)"
    case 1:
      query = "SELECT \(name: a), \(name: b) AS z9 FROM \(name: table.number) WHERE \(name: b) IS NOT 1"
      columns = ["\(name: a)", "z9"]
    case 2:
      query =
        "SELECT p.\(name: a) AS z1, q.\(name: c) FROM \(name: table.number) AS p JOIN \(name: other.number) q ON p.\(name: b) = q.\(name: c) ORDER BY z1"
      columns = ["z1", "\(name: c)"]
    case 3 where !views.isEmpty:
      let view = pick(views)
      let column = pick(view.columns)
      query = "SELECT \"\(raw: view.name)\".\(column) AS z2 FROM \"\(raw: view.name)\" WHERE \(column) IS NOT 'no'"
      columns = ["z2"]
    case 4:
      query =
        "SELECT max(\(name: a)) AS z3 FROM \(name: table.number) WHERE \(name: b) IN (SELECT \(name: c) FROM \(name: other.number) AS o WHERE o.\(name: c) > 0) GROUP BY \(name: b)"
      columns = ["z3"]
    default:
      query =
        "WITH w(k) AS (SELECT \(name: a) FROM \(name: table.number)) SELECT k FROM w UNION SELECT \(name: table.number).\(name: b) FROM \(name: table.number)"
      columns = ["k"]
    }
    return ModelObject(name: name, definition: .view(query), columns: columns)
  }

  mutating func trigger(in schema: ModelSchema) -> ModelObject {
    let table = pick(schema.tables)
    let name = freeName("g", schema)
    let column = pick(table.columns).number
    let event: ModelObject.Event = pick([.insert, .delete, .update([]), .update([column])])
    let row: ModelSQL = event == .insert ? "NEW" : event == .delete ? "OLD" : pick(["NEW", "OLD"])
    let statements = (0..<Int.random(in: 1...2, using: &random)).map { _ in
      bodyStatement(
        schema, "\(row).\(name: pick(table.columns).number)", after: event == .insert ? table.number - 1 : table.number
      )
    }
    return ModelObject(
      name: name, table: table.number,
      definition: .trigger(
        pick([.before, .after]), event, condition: once(in: 3) ? "\(row).\(name: column) IS NOT 'no'" : nil,
        "\(statements, by: "; ")"))
  }

  /// Returns a statement that writes only to later tables: the rows that a statement sees after its own triggers
  /// created some are undefined.
  private mutating func bodyStatement(
    _ schema: ModelSchema, _ value: ModelSQL, after number: Int
  ) -> ModelSQL {
    let other = pick(schema.tables)
    let tables = schema.tables.filter { $0.number > number && !$0.ordinary.isEmpty }
    guard let table = tables.randomElement(using: &random) else {
      let column = pick(other.columns).number
      return "SELECT \(name: column), \(value) FROM \(name: other.number) WHERE \(name: column) > \(value)"
    }
    let ordinary = table.ordinary
    let (a, b, c) = (pick(ordinary).number, pick(table.columns).number, pick(other.columns).number)
    return pick([
      "INSERT OR IGNORE INTO \(name: table.number)(\(name: a)) VALUES (\(value))",
      "UPDATE \(name: table.number) SET \(name: a) = \(value) WHERE \(name: b) = 3",
      "DELETE FROM \(name: table.number) WHERE \(name: table.number).\(name: b) = \(value) AND \(name: b) > 76",
      "INSERT OR IGNORE INTO \(name: table.number)(\(name: a)) SELECT \(name: c) FROM \(name: other.number) WHERE \(name: c) = \(value) LIMIT 1",
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM \(name: other.number) AS n WHERE n.\(name: c) IS \(value)) THEN 1 END",
    ])
  }
}
