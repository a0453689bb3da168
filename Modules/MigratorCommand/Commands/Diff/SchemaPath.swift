internal import Migrator
internal import SQLSyntax

/// The path from one schema to another: the change to each table.
struct SchemaPath {
  /// The change that leads from a table of the earlier schema to a table of the later schema.
  enum Step {
    case keep
    case rename
    /// Columns are dropped and added in place.
    case alter(dropped: [SQLColumnSyntax], added: [SQLColumnSyntax])
    case rebuild
  }

  struct Pair {
    let before: SchemaSide.Table
    let after: SchemaSide.Table
    /// The later name of each renamed column, by its earlier name; both are in lower case.
    var renamed: [String: String] = [:]
    var step = Step.keep
    /// The temporary name of the new table until it replaces the earlier one.
    var copyName = ""
  }

  let before: SchemaSide
  let after: SchemaSide
  /// Whether the engine has `ALTER TABLE ... DROP COLUMN`.
  private let dropsColumns: Bool
  private(set) var pairs: [Pair] = []
  /// The index in ``pairs`` of each table of the earlier schema, by its name in lower case.
  private(set) var places: [String: Int] = [:]
  var statements: [SuggestedMigration.Statement] = []

  init(
    _ before: SchemaSide, _ after: SchemaSide, _ renames: SchemaRenames, dropsColumns: Bool
  ) throws(SchemaRenames.Failure) {
    (self.before, self.after, self.dropsColumns) = (before, after, dropsColumns)
    var newNames: [String: String] = [:]
    for (old, new) in renames.tables.sorted(by: { $0.key < $1.key }) {
      guard before.table(old.asciiLowercased) != nil else { throw .noSuchTable(old) }
      guard after.table(new.asciiLowercased) != nil else { throw .noSuchTable(new) }
      guard !newNames.values.contains(new.asciiLowercased) else { throw .nameTakenTwice(new) }
      newNames[old.asciiLowercased] = new.asciiLowercased
    }
    let taken = Set(newNames.values)
    for table in before.tables {
      // A table that was renamed may have taken this name.
      guard let name = newNames[table.folded] ?? (taken.contains(table.folded) ? nil : table.folded),
        let target = after.table(name)
      else { continue }
      places[table.folded] = pairs.count
      pairs.append(Pair(before: table, after: target))
    }
    try renameColumns(renames.columns)
    for index in pairs.indices { pairs[index].step = step(for: pairs[index]) }
    // Versions of SQLite differ in whether RENAME updates references from other tables. So a table to which others
    // refer is not renamed but recreated under its new name, and so are the tables that refer to it.
    for index in pairs.indices {
      if case .rename = pairs[index].step, isReferredTo(pairs[index]) { pairs[index].step = .rebuild }
    }
    nameCopies()
  }

  /// Records the renamed columns of each table.
  ///
  /// - Parameter renames: The later names of columns by their earlier names, for each table by its earlier name.
  private mutating func renameColumns(_ renames: [String: [String: String]]) throws(SchemaRenames.Failure) {
    for (table, columns) in renames {
      guard let index = places[table.asciiLowercased] else {
        throw .noSuchTable(table)
      }
      for (old, new) in columns {
        for (name, table) in [(old, pairs[index].before), (new, pairs[index].after)] {
          guard table.description.column(name) != nil else { throw .noSuchColumn(name, table: table.name) }
        }
        guard !pairs[index].renamed.values.contains(new.asciiLowercased) else { throw .nameTakenTwice(new) }
        pairs[index].renamed[old.asciiLowercased] = new.asciiLowercased
      }
    }
  }

  /// Gives each new table a temporary name that occurs nowhere in either schema.
  ///
  /// If a foreign key referred to a missing table of that name, RENAME would also change the foreign key.
  private mutating func nameCopies() {
    var taken = before.mentions.union(after.mentions)
    for index in pairs.indices {
      guard case .rebuild = pairs[index].step else { continue }
      var name = "new_\(pairs[index].after.name)"
      while taken.contains(name.asciiLowercased) { name = "new_\(name)" }
      taken.insert(name.asciiLowercased)
      pairs[index].copyName = name
    }
  }

  private func step(for pair: Pair) -> Step {
    guard pair.renamed.isEmpty else { return .rebuild }
    let name = pair.after.name
    if before.canonicalDefinition(of: pair.before, named: name)
      == after.canonicalDefinition(of: pair.after, named: name)
    {
      if pair.before.folded == pair.after.folded { return .keep }
      let takesFreeName = before.table(pair.after.folded) == nil
      let refersToItself = !pair.before.mentions.isDisjoint(with: [pair.before.folded, pair.after.folded])
      return takesFreeName && !refersToItself ? .rename : .rebuild
    }
    return pair.before.folded == pair.after.folded ? alteration(of: pair) ?? .rebuild : .rebuild
  }

  /// Returns the columns that ALTER TABLE must drop and add to get the later definition; nil if other changes are
  /// necessary (https://www.sqlite.org/lang_altertable.html).
  ///
  /// SQLite puts a new column after the other columns, before the table constraints.
  private func alteration(of pair: Pair) -> Step? {
    let isDropped = { (column: SQLColumnSyntax) in pair.after.description.column(column.name.value) == nil }
    let isAdded = { (column: SQLColumnSyntax) in pair.before.description.column(column.name.value) == nil }
    let (old, new) = (pair.before.definition.columns, pair.after.definition.columns)
    let (dropped, added) = (old.filter(isDropped), new.filter(isAdded))
    guard dropped.count < old.count, new.suffix(added.count).allSatisfy(isAdded), added.allSatisfy(pair.isAddable),
      dropped.isEmpty || dropsColumns && dropped.allSatisfy(\.isDroppable),
      before.canonicalDefinition(of: pair.before, named: pair.after.name, without: isDropped)
        == after.canonicalDefinition(of: pair.after, named: pair.after.name, without: isAdded)
    else { return nil }
    return .alter(dropped: dropped, added: added)
  }

  private func isReferredTo(_ pair: Pair) -> Bool {
    before.tables.contains { $0.folded != pair.before.folded && $0.mentions.contains(pair.before.folded) }
      || before.others.contains { $0.mentions.contains(pair.before.folded) }
  }

  /// The tables, by their earlier names in lower case, that are recreated.
  var recreatedTables: Set<String> {
    Set(
      pairs.compactMap { pair in
        if case .rebuild = pair.step { pair.before.folded } else { nil }
      })
  }

  mutating func emit(_ sql: String, losses: [String] = [], risks: [SuggestedMigration.Risk] = []) {
    statements.append(SuggestedMigration.Statement(sql: sql, losses: losses, risks: risks))
  }
}

extension SchemaPath.Pair {
  /// Returns the earlier column that corresponds to a later one; nil if the later column is new.
  func source(of column: ColumnDescription) -> ColumnDescription? {
    let name = column.name.asciiLowercased
    if let earlier = renamed.first(where: { $0.value == name })?.key { return before.description.column(earlier) }
    // An earlier column that was renamed is not the source of a later column with its earlier name.
    return renamed[name] == nil ? before.description.column(name) : nil
  }

  /// Whether the rows keep their rowids: both definitions have an alias of the rowid, and it is the same column, or
  /// neither has one.
  var keepsRowID: Bool {
    guard let alias = after.rowIDColumn.flatMap(after.description.column) else {
      return before.hiddenRowIDName != nil && after.hiddenRowIDName != nil
    }
    return source(of: alias).map { $0.name.asciiLowercased == before.rowIDColumn } ?? false
  }

  /// Returns whether ADD COLUMN can add a column of the later definition
  /// (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
  fileprivate func isAddable(_ column: SQLColumnSyntax) -> Bool {
    var hasDefault = false
    var needsDefault = false
    var isReference = false
    for constraint in column.constraints {
      switch constraint.kind {
      case .notNull: needsDefault = true
      case .defaultValue(let value):
        let source = after.syntax.source
        guard source.isLiteral(value.tokens), !source.tokens[value.tokens.lowerBound].isOperator("(") else {
          return false
        }
        hasDefault = source.text(of: value.tokens).asciiLowercased != "null"
      case .references: isReference = true
      case .collate, .null, .deferral: break
      // Older engines do not check existing rows against a new CHECK, and do not support generated columns.
      case .check, .generated, .primaryKey, .unique, .nothing: return false
      }
    }
    return (!needsDefault || hasDefault) && !(isReference && hasDefault)
  }
}

extension SQLColumnSyntax {
  /// Whether the column has no key, with which DROP COLUMN would not drop it
  /// (https://www.sqlite.org/lang_altertable.html#altertabdropcol).
  fileprivate var isDroppable: Bool {
    constraints.allSatisfy { constraint in
      switch constraint.kind {
      case .primaryKey, .unique: false
      case .notNull, .null, .check, .defaultValue, .collate, .references, .generated, .deferral, .nothing: true
      }
    }
  }
}
