internal import Migrator

extension SchemaChangePlanner {
  /// The indexes and triggers that go with a table, its name given in lower case, in the order of their creation.
  func companions(of table: String) throws(DatabaseError) -> [SchemaCatalog.Object] {
    var companions: [SchemaCatalog.Object] = []
    for object in catalog.objects where object.sql != nil && object.tableName.asciiLowercased == table {
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
  private func isOfSchema(_ trigger: SchemaCatalog.Object, _ table: String) throws(DatabaseError) -> Bool {
    guard let syntax = trigger.sql.flatMap({ try? SQLSyntax(parsing: $0) }),
      case .createTrigger(let definition) = syntax.statement
    else { return true }
    if let named = definition.table.schema?.value { return SchemaName(unchecked: named) == schema }
    guard try schemasHolding(table).count > 1 else { return true }
    throw refusal(
      "it is not certain to which table \(trigger.description) belongs: several schemas have a \"\(table)\"",
      remedy: "Drop the trigger first, and create it anew with the schema before the table's name.")
  }

  /// Refuses to alter a table that a temporary one of its name hides, or that hides another.
  ///
  /// The engine takes one for the other when it reads triggers again, and leaves some with a column's old name.
  func refuseHidden(_ table: String) throws(DatabaseError) {
    let holding = try schemasHolding(table)
    guard holding.count > 1, holding.contains(.temporary) else { return }
    throw refusal(
      "there is a temporary \"\(table)\" beside that of \(holding[1].prefix), which the engine takes for the other",
      remedy: "Drop the temporary one first.")
  }

  /// The schemas that have a table or view of a name, the one in which the engine finds it first of all.
  private func schemasHolding(_ table: String) throws(DatabaseError) -> [SchemaName] {
    let condition = "type IN ('table', 'view') AND name = \(SQLSpelling.text(table)) COLLATE NOCASE"
    var holding: [SchemaName] = []
    for other in try connection.schemaNames() {
      let rows = try connection.rows("SELECT 1 FROM \(other.definitions) WHERE \(condition)")
      if !rows.isEmpty { holding.append(other) }
    }
    return holding
  }

  /// The statement that creates an object anew; the stored text of a temporary one does not tell that it is.
  func creation(of object: SchemaCatalog.Object) -> String {
    let sql = object.sql ?? ""
    guard object.isTemporary else { return creation(sql) }
    let source = SQLSource(sql)
    guard let first = source.token(0), source.token(1)?.isWord("temp") != true,
      source.token(1)?.isWord("temporary") != true
    else { return sql }
    return source.replacing([first.range.upperBound..<first.range.upperBound], with: " TEMP")
  }

  /// The statement that creates an object in the schema, from its stored text, which does not tell the schema.
  func creation(_ sql: String) -> String {
    guard catalog.isSchemaNamed else { return sql }
    let source = SQLSource(sql)
    let kinds = ["table", "index", "trigger", "view"]
    guard let kind = source.tokens.prefix(3).firstIndex(where: { token in kinds.contains { token.isWord($0) } }) else {
      return sql
    }
    let isConditional = source.token(kind + 1)?.isWord("if") == true && source.token(kind + 2)?.isWord("not") == true
    guard let name = source.token(isConditional ? kind + 4 : kind + 1) else { return sql }
    return source.replacing([name.range.lowerBound..<name.range.lowerBound], with: "\(schema.prefix).")
  }
}
