internal import Migrator
internal import SQLSyntax

/// A test of the condition of a DELETE or UPDATE on rows with values of all kinds.
struct ConditionProbe {
  private static let randomRowCount = 200

  private let source: SQLSource
  private let condition: String
  /// The name by which the condition qualifies columns; nil if it does not.
  private let qualifier: String?
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
    let names = SQLNames(in: syntax)
    self.condition = source.text(of: condition.tokens)
    qualifier = names.uses.lazy.compactMap(\.qualifier?.value).first
    guard names.queries.isEmpty, !source.tokens.contains(where: { $0.kind == .variable })
    else { return nil }
    if !tokens.contains(where: { $0.isWord("or") }), Self.comparesColumn(tokens) { return nil }
  }

  /// Whether the statement affects all rows of a table, whatever their values.
  ///
  /// - Parameter table: The table that the statement names.
  func affectsAllRows(of table: String) throws -> Bool {
    guard let columns = try db.connection.columns(in: table), !columns.isEmpty else { return false }
    let keys = columns.filter { $0.primaryKeyIndex > 0 }
    let isNumbered = keys.count == 1 && keys[0].declaredType.asciiLowercased == "integer"
    let rowID = SQLIdentifier.rowIDName(besides: columns.map(\.name))
    let values = SampleNumbers.values(near: source) + [.null]
    // Rowids are positive.
    let rowIDs =
      values.filter { if case .integer(let number) = $0 { number > 0 } else { false } } + [.integer(.max / 2)]
    var random = SampleNumbers()
    let rows = (0..<(values.count + Self.randomRowCount)).map { index -> String in
      let number = index < rowIDs.count ? rowIDs[index] : .integer(Int64(index))
      let row = columns.map { column in
        if isNumbered, column.primaryKeyIndex > 0 { return number }
        return (index < values.count ? values[index] : values.randomElement(using: &random)) ?? .null
      }
      return "(\((row + (rowID == nil ? [] : [number])).map(\.sqlLiteral).joined(separator: ", ")))"
    }
    let names = (columns.map(\.name) + [rowID].compactMap(\.self)).map(\.quotedIdentifier).joined(separator: ", ")
    let name = (qualifier ?? table).quotedIdentifier
    // A condition that uses something that only the real table has fails.
    let isTrue = try DatabaseError.ifPossible {
      try Bool.fetchOne(
        db,
        sql: "WITH \(name) (\(names)) AS (VALUES \(rows.joined(separator: ", "))) "
          + "SELECT count(*) = \(rows.count) FROM \(name) WHERE \(condition)")
    }
    return isTrue == true
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
