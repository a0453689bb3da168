internal import Migrator
internal import SQLSyntax

/// A table with values of all kinds, on which the condition of a DELETE or UPDATE is tested.
struct ConditionProbe {
  private static let randomRowCount = 200

  private let source: SQLSource
  private let db: Database

  /// Creates the probe for a DELETE or UPDATE; nil for other statements, for those with a LIMIT clause or other tables,
  /// and for conditions that cannot or need not be tested.
  ///
  /// A condition cannot be tested if the statement contains a parameter or a query, whose value or rows are unknown. It
  /// need not be tested if it compares a column with a literal and contains no OR: it is then not true for every row.
  init?(_ syntax: SQLTree, _ db: Database) {
    let change: SQLRowChange
    switch syntax.statement {
    case .data(.delete(let found)), .data(.update(let found)): change = found
    default: return nil
    }
    (source, self.db) = (syntax.source, db)
    guard let condition = change.condition, change.sources.isEmpty, change.limits.isEmpty else { return nil }
    let tokens = source.tokens[condition.tokens]
    guard SQLNames(in: syntax).queries.isEmpty, !source.tokens.contains(where: { $0.kind == .variable })
    else { return nil }
    if !tokens.contains(where: { $0.isWord("or") }), Self.comparesColumn(tokens) { return nil }
  }

  /// Whether the statement affects all rows of a table, whatever their values.
  ///
  /// - Parameter table: The table that the statement names.
  func affectsAllRows(of table: String) throws -> Bool {
    guard let columns = try db.connection.columns(in: table), !columns.isEmpty else { return false }
    return try db.withScratch(label: "values of conditions") { scratch in
      try scratch.write { db in
        do {
          try fill(db, table, columns)
          let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM main.\(table.quotedIdentifier)")
          try db.execute(sql: source.text)
          return db.changesCount == count
        } catch let error as DatabaseError where !error.concernsEverything {
          // The condition uses something that only the real table has.
          return false
        }
      }
    }
  }

  private func fill(_ db: Database, _ table: String, _ columns: [ColumnDescription]) throws {
    let name = "main.\(table.quotedIdentifier)"
    let keys = columns.filter { $0.primaryKeyIndex > 0 }
    let key = keys.count == 1 && keys[0].declaredType.asciiLowercased == "integer" ? keys[0].name : nil
    let definitions = columns.map { column in
      "\(column.name.quotedIdentifier) \(column.name == key ? "INTEGER PRIMARY KEY" : column.declaredType)"
    }
    try db.execute(sql: "CREATE TABLE \(name) (\(definitions.joined(separator: ", ")))")
    let values = SampleNumbers.values(near: source) + [.null]
    // Rowids are positive.
    var rowIDs = values.compactMap { value -> Int64? in
      if case .integer(let number) = value, number > 0 { number } else { nil }
    }
    rowIDs += Array(1...Int64(values.count + Self.randomRowCount)) + [Int64.max / 2]
    let rowID = key ?? SQLIdentifier.rowIDName(besides: columns.map(\.name))
    let others = columns.map(\.name).filter { $0 != key }
    let filled = [rowID].compactMap(\.self) + others
    let insertion = try db.makeStatement(
      sql: "INSERT OR IGNORE INTO \(name) (\(filled.map(\.quotedIdentifier).joined(separator: ", "))) "
        + "VALUES (\(filled.map { _ in "?" }.joined(separator: ", ")))")
    var random = SampleNumbers()
    for (index, number) in rowIDs.enumerated() {
      let row = others.map { _ in
        (index < values.count ? values[index] : values.randomElement(using: &random)) ?? .null
      }
      try insertion.execute(
        arguments: StatementArguments(values: (rowID.map { _ in [.integer(number)] } ?? []) + row))
    }
  }

  /// Whether a condition without OR compares a column with a literal for equality.
  private static func comparesColumn(_ tokens: ArraySlice<SQLSource.Token>) -> Bool {
    let isLiteral = { (token: SQLSource.Token) in token.kind == .number || token.kind == .string }
    let isName = { (token: SQLSource.Token) in token.kind == .word || token.kind == .quotedIdentifier }
    return tokens.indices.dropFirst().dropLast().contains { index in
      guard tokens[index].isOperator("=") || tokens[index].isOperator("==") else { return false }
      let (left, right) = (tokens[index - 1], tokens[index + 1])
      return isName(left) && isLiteral(right) || isLiteral(left) && isName(right)
    }
  }
}
