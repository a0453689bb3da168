internal import Migrator
internal import SQLSyntax

/// The declared renames that the engine carries out in place, with `ALTER TABLE ... RENAME`.
///
/// The engine then also changes the indexes, triggers, views and foreign keys that use the old names
/// (https://www.sqlite.org/lang_altertable.html). Which of them depends on its version, so the statements are tried.
struct NativeRenames {
  /// The statements that rename one table and its columns.
  private struct Table {
    /// The name before all statements, in lower case.
    let name: String
    /// The name after all statements, in lower case.
    let newName: String
    let statements: [String]
  }

  private let after: SchemaSnapshot
  private let renames: SchemaRenames
  private let dropsColumns: Bool
  private var tables: [Table] = []

  /// The later schema must have the new names.
  init(_ renames: SchemaRenames, from before: SchemaSnapshot, to after: SchemaSnapshot, dropsColumns: Bool) {
    (self.renames, self.after, self.dropsColumns) = (renames, after, dropsColumns)
    let side = SchemaSide(after)
    // A declaration may spell a name in other letter case than the schema.
    let names = (Array(renames.tables.keys) + renames.columns.keys).map(\.asciiLowercased)
    tables = Set(names).sorted().map { name in
      let newName = renames.tables.first { $0.key.asciiLowercased == name }?.value
      let old = before.table(name)
      let table = side.table((newName ?? name).asciiLowercased)
      let target = table?.name ?? name
      var statements: [String] = []
      if newName != nil {
        let written = old?.name ?? name
        statements.append("ALTER TABLE \(written.quotedIdentifier) RENAME TO \(target.quotedIdentifier)")
      }
      let columns = renames.columns.filter { $0.key.asciiLowercased == name }.flatMap(\.value)
      for (source, new) in columns.sorted(by: { $0.key < $1.key }) {
        let written = old?.column(source)?.name ?? source
        let column = table?.definition.columns.first { $0.name.folded == new.asciiLowercased }
        // The engine writes the name into the definitions as it is quoted here.
        let spelling = table.flatMap { table in column.map { table.syntax.source.tokens[$0.name.token].text } }
        statements.append(
          "ALTER TABLE \(target.quotedIdentifier) RENAME COLUMN \(written.quotedIdentifier)"
            + " TO \(spelling ?? new.quotedIdentifier)")
      }
      return Table(name: name, newName: target.asciiLowercased, statements: statements)
    }
  }

  /// Returns the migration that renames in place wherever nothing but names of a table changes.
  ///
  /// - Parameter result: Returns the schema after statements on the earlier schema; nil if one of them fails.
  /// - Returns: nil if the engine does not carry out the renames.
  mutating func suggestion<Failure: Error>(
    trying result: ([String]) throws(Failure) -> SchemaSnapshot?
  ) throws(Failure) -> SuggestedMigration? {
    while !tables.isEmpty {
      let statements = tables.flatMap(\.statements)
      guard let middle = try result(statements) else { return nil }
      // A mistake in the declarations has been reported before, so a failure is about the renamed names.
      guard var path = try? SchemaPath(SchemaSide(middle), SchemaSide(after), others, dropsColumns: dropsColumns) else {
        return nil
      }
      let recreated = path.recreatedTables
      guard tables.contains(where: { recreated.contains($0.newName) }) else {
        path.find()
        return SuggestedMigration(renaming: statements, path.statements)
      }
      // The copy of the rows into a new table renames, too.
      tables.removeAll { recreated.contains($0.newName) }
    }
    return nil
  }

  /// The renames of the tables that are not renamed in place.
  private var others: SchemaRenames {
    let native = Set(tables.map(\.name))
    return SchemaRenames(
      tables: renames.tables.filter { !native.contains($0.key.asciiLowercased) },
      columns: renames.columns.filter { !native.contains($0.key.asciiLowercased) })
  }
}
