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
        let keys = try IndexedColumns(db, table.name)
        return foreignKeys.compactMap { key -> LintFinding? in
          guard !keys.serve(key.originColumns) else { return nil }
          let columns = key.originColumns.joined(separator: ", ")
          return declarations.finding(
            .unindexedForeignKey, table.name, key.originColumns,
            "the foreign key of \"\(table.name)\" (\(columns)) to \"\(key.destinationTable)\" has no index",
            remedy:
              "CREATE INDEX \(table.name)_on_\(key.originColumns.joined(separator: "_")) ON \(table.name) (\(columns));"
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
        do {
          _ = try db.connection.foreignKeyViolations(in: table.name)()
          return nil
        } catch let error as DatabaseError where error.condition == .statement {
          return declarations.finding(
            .mismatchedForeignKey, table.name, [],
            "a foreign key of \"\(table.name)\" cannot be enforced: \(error.reason)",
            remedy: "Make the columns that it refers to a primary key, or create a UNIQUE index on them.")
        }
      }
    })
}

private struct IndexedColumns {
  private var lists: [[String]]

  init(_ db: Database, _ table: String) throws {
    lists = try db.connection.indexes(on: table).filter { !$0.isPartial }.map { index in
      index.columns.map { $0.name?.asciiLowercased ?? "" }
    }
    lists.append(try db.primaryKey(of: table))
  }

  func serve(_ columns: [String]) -> Bool {
    let wanted = Set(columns.map(\.asciiLowercased))
    return lists.contains { Set($0.prefix(wanted.count)) == wanted }
  }
}
