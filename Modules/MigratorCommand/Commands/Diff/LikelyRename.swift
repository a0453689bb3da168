internal import Migrator
internal import SQLSyntax

/// A table or column that was probably renamed; only the user knows.
struct LikelyRename: Sendable, Hashable {
  /// The table with its name in the earlier schema, and the later name of a renamed table.
  let table: String
  /// The earlier name of a column; nil if the table was renamed.
  var column: String?
  let newName: String

  /// The value of `--rename` that declares it.
  var declaration: String { column.map { "\(table).\($0)=\(newName)" } ?? "\(table)=\(newName)" }

  /// The guess as the end of a clause, such as "column "nick" of table "player"" or "table "team"".
  var subject: String { (column.map { "column \"\($0)\" of table" } ?? "table") + " \"\(table)\"" }
}

extension SchemaRenames {
  /// Returns the tables that were probably renamed: a removed table has the same columns as one added table, and no
  /// other has them.
  func likelyTables(from before: SchemaSnapshot, to after: SchemaSnapshot) -> [LikelyRename] {
    let taken = Set(tables.values.map(\.asciiLowercased))
    let (old, new) = (before.tablesByName, after.tablesByName)
    let removed = Self.ordinaryTables(before).filter {
      new[$0.name.asciiLowercased] == nil && tables[$0.name] == nil
    }
    let added = Self.ordinaryTables(after).filter {
      old[$0.name.asciiLowercased] == nil && !taken.contains($0.name.asciiLowercased)
    }
    return removed.compactMap { old in
      let matches = added.filter { Self.columnNames($0) == Self.columnNames(old) }
      guard matches.count == 1, let new = matches.first,
        removed.count(where: { Self.columnNames($0) == Self.columnNames(old) }) == 1
      else { return nil }
      return LikelyRename(table: old.name, newName: new.name)
    }
  }

  /// Returns the columns that were probably renamed: a removed column has the same type as the added column in its place,
  /// or as the only added one.
  func likelyColumns(from before: SchemaSnapshot, to after: SchemaSnapshot) -> [LikelyRename] {
    let later = after.tablesByName
    return Self.ordinaryTables(before).flatMap { old -> [LikelyRename] in
      guard let new = later[(tables[old.name] ?? old.name).asciiLowercased] else { return [] }
      let declared = columns[old.name] ?? [:]
      let taken = Set(declared.values.map(\.asciiLowercased))
      let removed = old.columns.enumerated().filter {
        new.column($0.element.name) == nil && declared[$0.element.name] == nil && !$0.element.isGenerated
      }
      let added = new.columns.enumerated().filter {
        old.column($0.element.name) == nil && !taken.contains($0.element.name.asciiLowercased)
          && !$0.element.isGenerated
      }
      return removed.compactMap { index, column in
        let alike = added.filter { Self.type($0.element) == Self.type(column) }
        let isOnly = alike.count == 1 && removed.count(where: { Self.type($0.element) == Self.type(column) }) == 1
        guard let match = isOnly ? alike.first : alike.first(where: { $0.offset == index }) else { return nil }
        return LikelyRename(table: old.name, column: column.name, newName: match.element.name)
      }
    }
  }

  /// Records a rename that the user has confirmed.
  mutating func declare(_ rename: LikelyRename) {
    if let column = rename.column {
      columns[rename.table, default: [:]][column] = rename.newName
    } else {
      tables[rename.table] = rename.newName
    }
  }

  private static func ordinaryTables(_ schema: SchemaSnapshot) -> [TableDescription] {
    let ordinary = schema.objects.filter { $0.kind == .table && !$0.isVirtual && !$0.isShadow }
    let names = Set(ordinary.map(\.name.asciiLowercased))
    return schema.tables.filter { names.contains($0.name.asciiLowercased) }
  }

  private static func columnNames(_ table: TableDescription) -> [String] { table.columns.map(\.name.asciiLowercased) }

  private static func type(_ column: ColumnDescription) -> String { column.declaredType.asciiLowercased }
}

extension CommandContext {
  /// Returns the migration from one schema to another, with the renames that `--rename` declares.
  ///
  /// On a terminal asks whether what looks like a rename is one, if `asks` is true; otherwise says which option would
  /// declare it.
  ///
  /// - Parameter scratch: The engine that must be able to carry out the statements.
  func suggestedMigration(
    from before: SchemaSnapshot, to after: SchemaSnapshot, on scratch: ScratchDatabase, asks: Bool
  ) throws(ToolFailure) -> SuggestedMigration {
    let renames = try renames(from: before, to: after, asks: asks)
    var suggestion = try suggestion(from: before, to: after, renames, scratch)
    try suggestion.removeRisks { statements throws(ToolFailure) in
      try schema(after: statements, on: SchemaSnapshot(objects: []), scratch) != nil
    }
    return suggestion
  }

  private func suggestion(
    from before: SchemaSnapshot, to after: SchemaSnapshot, _ renames: SchemaRenames, _ scratch: ScratchDatabase
  ) throws(ToolFailure) -> SuggestedMigration {
    let suggestion = try suggestion(from: before, to: after, renames, scratch, dropsColumns: true)
    guard suggestion.dropsColumns else { return suggestion }
    let end = try schema(after: suggestion.statements.map(\.sql), on: before, scratch)
    if let end, SchemaDifferenceReport(SchemaDifference(from: after, to: end)).isEmpty { return suggestion }
    return try self.suggestion(from: before, to: after, renames, scratch, dropsColumns: false)
  }

  private func suggestion(
    from before: SchemaSnapshot, to after: SchemaSnapshot, _ renames: SchemaRenames, _ scratch: ScratchDatabase,
    dropsColumns: Bool
  ) throws(ToolFailure) -> SuggestedMigration {
    let suggestion: SuggestedMigration
    do throws(SchemaRenames.Failure) {
      suggestion = try SuggestedMigration(from: before, to: after, renames: renames, dropsColumns: dropsColumns)
    } catch {
      throw Self.failure(error)
    }
    var native = NativeRenames(renames, from: before, to: after, dropsColumns: dropsColumns)
    let renaming = try native.suggestion { statements throws(ToolFailure) in
      try schema(after: statements, on: before, scratch)
    }
    return renaming ?? suggestion
  }

  /// Returns the schema after statements in an empty database with a schema; nil if a statement fails.
  private func schema(
    after statements: [String], on before: SchemaSnapshot, _ scratch: ScratchDatabase
  ) throws(ToolFailure) -> SchemaSnapshot? {
    try scratch.withQueue { queue in
      do {
        return try queue.writeWithoutTransaction { db in
          try db.execute(sql: before.sql())
          for statement in statements { try db.execute(sql: statement) }
          return try db.schemaWithoutViewColumns()
        }
      } catch is DatabaseError where !interrupt.hasArrived {
        // The statements that failed are reported otherwise.
        return nil
      }
    }
  }

  private func renames(
    from before: SchemaSnapshot, to after: SchemaSnapshot, asks: Bool
  ) throws(ToolFailure) -> SchemaRenames {
    do throws(SchemaRenames.Failure) {
      var renames = try SchemaRenames(parsing: arguments.values(of: .rename), of: before)
      for likely in renames.likelyTables(from: before, to: after) { consider(likely, &renames, asks) }
      // The columns of a renamed table are compared, too.
      for likely in renames.likelyColumns(from: before, to: after) { consider(likely, &renames, asks) }
      return renames
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: SchemaRenames.Failure) -> ToolFailure {
    .usage("no migration can be suggested", why: String(describing: error))
  }

  private func consider(_ likely: LikelyRename, _ renames: inout SchemaRenames, _ asks: Bool) {
    if asks, output.environment.isInputTerminal, output.environment.isErrorTerminal {
      if isAffirmed("Was \(likely.subject) renamed to \"\(likely.newName)\"?") { renames.declare(likely) }
    } else {
      output.warning(
        "perhaps \(likely.subject) was renamed to \"\(likely.newName)\"; the migration does not keep its data",
        remedy: command == ToolCommand.new.name
          ? "If so, delete the new file, and run the command again with --rename \(likely.declaration.shellWord)."
          : "If so, add --rename \(likely.declaration.shellWord).")
    }
  }
}
