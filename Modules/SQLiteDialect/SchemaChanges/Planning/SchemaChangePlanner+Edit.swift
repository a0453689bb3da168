internal import Migrator

/// A table that the engine keeps, with its stored definition read into parts.
struct EditableTable {
  let object: SchemaCatalog.Object
  let text: TableText
}

extension SchemaChangePlanner {
  /// An object with the text that is to take its text's place.
  typealias Rewritten = (object: SchemaCatalog.Object, sql: String)

  /// Reads the definition of a table of the schema, in order to change its text.
  func editableTable(_ name: String) throws(DatabaseError) -> EditableTable {
    guard !catalog.isStale else {
      throw refusal(
        "the earlier steps of this change leave a definition of \"\(name)\" that cannot be told beforehand",
        remedy: "Make the steps in an alter(table:) of their own each.")
    }
    guard let object = catalog.table(name.asciiLowercased) else {
      throw refusal("no such table: \(name)", remedy: "Check the table's name.", condition: .statement)
    }
    guard object.kind == .table, !object.isTemporary, !object.isVirtual, let sql = object.sql,
      let text = TableText(sql)
    else {
      throw refusal(
        "\(engineVersion) cannot alter the columns of \(object.description)", remedy: "Drop it and create it anew.")
    }
    return EditableTable(object: object, text: text)
  }

  /// The column of a table, or an error that says that there is none.
  func column(_ name: String, of table: EditableTable) throws(DatabaseError) -> SQLColumnSyntax {
    guard let column = table.text.column(named: name.asciiLowercased) else {
      throw refusal(
        "no such column: \(name) in table \"\(table.object.name)\"", remedy: "Check the column's name.",
        condition: .statement)
    }
    return column
  }

  /// Replaces stored definitions in place, without touching a row.
  ///
  /// A text that the engine could not read would make the whole file unreadable. It is read here beforehand, and the
  /// engine reads all of them again before the transaction can be committed: an error rolls everything back.
  ///
  /// Source: https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes, the shorter list.
  mutating func edit(_ edits: [Rewritten]) throws(DatabaseError) {
    guard !edits.isEmpty else { return }
    plan.method = max(plan.method, .definitions)
    for (object, sql) in edits where object.kind == .table { try validate(sql, of: object) }
    let off = "PRAGMA writable_schema=OFF"
    if !plan.restoring.contains(off) { plan.restoring.append(off) }
    emit("PRAGMA writable_schema=ON")
    for (object, sql) in edits {
      emit(
        "UPDATE \(schema.definitions) SET sql = \(SQLSpelling.text(sql))"
          + " WHERE type = '\(object.kind.rawValue)' AND name = \(SQLSpelling.text(object.name))")
      catalog.setSQL(sql, of: object)
    }
    // Other connections read the schema anew when this number changes. The statements before may have raised it.
    let version = try connection.integer("PRAGMA \(schema.prefix).schema_version") ?? 0
    emit("PRAGMA \(schema.prefix).schema_version = \(version + Int64(plan.statements.count) + 1)")
    // SQLite 3.15 does not heed the number that it has set itself.
    reloadSchema()
    emit(off)
  }

  /// Makes this connection read the schema anew, which it does when a savepoint that changed it is rolled back.
  mutating func reloadSchema() {
    emit("SAVEPOINT migrator_reload")
    emit("CREATE TABLE \(schema.qualified(catalog.unusedName(for: "reload")))(a)")
    emit("ROLLBACK TO migrator_reload")
    emit("RELEASE migrator_reload")
  }

  /// Drops what the temporary schema holds: that is not edited, but created anew, in its order.
  mutating func dropTemporary(_ rewritten: [Rewritten]) {
    for (object, _) in rewritten.reversed() {
      emit("DROP \(object.kind.rawValue.uppercased()) temp.\(SQLSpelling.identifier(object.name))")
    }
  }

  /// Creates what was dropped from the temporary schema, with its new text.
  mutating func createTemporary(_ rewritten: [Rewritten]) {
    for (object, sql) in rewritten {
      var object = object
      object.sql = sql
      emit(creation(of: object))
    }
  }

  /// Lets the engine read a table's new text, without running it.
  ///
  /// In the temporary schema the table's name is free, and qualified columns in CHECK constraints are understood.
  private func validate(_ sql: String, of object: SchemaCatalog.Object) throws(DatabaseError) {
    let source = SQLSource(sql)
    guard let start = source.token(2)?.range.lowerBound else { return }
    let isTaken = catalog.objects.contains {
      $0.isTemporary && $0.name.asciiLowercased == object.name.asciiLowercased
    }
    if isTaken || schema.isTemporary { return }
    _ = try connection.prepare(
      "CREATE TABLE temp." + String(decoding: source.bytes[start...], as: UTF8.self), utf8Offset: 0)
  }
}
