internal import Migrator
internal import SQLSyntax

extension LintRule {
  static let unindexedForeignKey: LintRule = LintRule(
    name: "unindexed-foreign-key", summary: "a foreign key without an index",
    details:
      "Without an index, each DELETE or UPDATE of a parent row scans the whole child table. The rule checks the schema that all "
      + "migrations together create. (https://www.sqlite.org/foreignkeys.html#fk_indexes)",
    afterAll: { db, declarations in
      let tables = try db.connection.schema().objects.filter(\.isOrdinaryTable)
      return try tables.flatMap { table -> [LintFinding] in
        let foreignKeys = try db.connection.foreignKeys(on: table.name)
        guard !foreignKeys.isEmpty else { return [] }
        let keys = try TableKeys(of: table.name, db)
        // A column can refer to a table twice.
        var seen: Set<[String]> = []
        return try foreignKeys.compactMap { key -> LintFinding? in
          // An index does not help a key to a table that does not exist.
          guard !keys.serve(key.originColumns), try db.connection.columns(in: key.destinationTable) != nil,
            seen.insert(key.originColumns.map(\.asciiLowercased)).inserted
          else { return nil }
          let columns = key.originColumns.map(\.identifierForReading).joined(separator: ", ")
          let index = "\(table.name)_on_\(key.originColumns.joined(separator: "_"))".identifierForReading
          return declarations.finding(
            .unindexedForeignKey, table.name, key.originColumns,
            "the foreign key of \"\(table.name)\" (\(columns)) to \"\(key.destinationTable)\" has no index",
            remedy: "CREATE INDEX \(index) ON \(table.name.identifierForReading) (\(columns));"
          )
        }
      }
    })

  static let mismatchedForeignKey: LintRule = LintRule(
    name: "mismatched-foreign-key", summary: "a foreign key to columns that are not unique",
    details:
      "While foreign keys are enforced, each INSERT into the child table and each DELETE from the parent table fails with "
      + "\"foreign key mismatch\". The parent's columns need a primary key or a unique index with their own collations. "
      + "(https://www.sqlite.org/foreignkeys.html#fk_indexes)",
    afterAll: { db, declarations in
      let tables = try db.connection.schema().objects.filter(\.isOrdinaryTable)
      return try tables.compactMap { table -> LintFinding? in
        guard try db.keysWithoutParent(of: [table.name]).isEmpty else { return nil }
        do {
          _ = try db.connection.foreignKeyViolations(in: table.name)()
          return nil
        } catch let error as DatabaseError where error.condition == .statement {
          return declarations.finding(
            .mismatchedForeignKey, table.name, [],
            "a foreign key of \"\(table.name)\" cannot be enforced: \(error.reason)",
            remedy:
              "Make the columns that it refers to a primary key, or create a UNIQUE index on them. A view or a virtual table has none: "
              + "refer to a table.")
        }
      }
    })

  static let missingParent: LintRule = LintRule(
    name: "missing-parent", summary: "a foreign key to a table or column that does not exist",
    details:
      "SQLite accepts the declaration; while foreign keys are enforced, each INSERT into the child table fails. The rule checks the "
      + "schema that all migrations together create. (https://www.sqlite.org/foreignkeys.html#fk_schemacommands)",
    afterAll: { db, declarations in
      let tables = try db.connection.schema().objects.filter(\.isOrdinaryTable).map(\.name)
      return try db.keysWithoutParent(of: tables).compactMap { fault in
        // Another rule has reported the statement that dropped the table.
        guard !declarations.hasDropped(fault.key.destinationTable) else { return nil }
        return declarations.finding(
          .missingParent, fault.table, fault.key.originColumns, fault.description,
          remedy: "Check the spelling of the name, or create the table in one of the migrations.")
      }
    })
}
