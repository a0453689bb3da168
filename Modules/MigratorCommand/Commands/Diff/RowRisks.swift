internal import Migrator
internal import SQLSyntax

/// The constraints of a new table definition that existing rows may violate, apart from NOT NULL.
///
/// Existing rows satisfy a constraint that existed before, as long as the values of its columns are unchanged, and are
/// compared in the same way.
struct RowRisks {
  private let before: TableDescription
  private let after: TableDescription
  private let rowIDColumns: (before: String?, after: String?)

  /// A placeholder for the names of removed columns; no column can have this name.
  private static let gone = "\u{0}"
  /// The later name of each column of the earlier definition, by its earlier name; both names are in lower case.
  private var laterNames: [String: String] = [:]
  /// The names, in lower case, of columns of the later definition whose values may change, or may compare differently.
  private(set) var changed: Set<String> = []
  /// The names, in lower case, of columns of the later definition in which different values may become equal.
  private var merged: Set<String> = []
  private let uniqueKeys: [UniqueKey]

  init(_ pair: SchemaPath.Pair) {
    (before, after) = (pair.before.description, pair.after.description)
    uniqueKeys = pair.before.uniqueKeys
    rowIDColumns = (pair.before.rowIDColumn, pair.after.rowIDColumn)
    for column in before.columns { laterNames[column.name.asciiLowercased] = Self.gone }
    let sources = after.columns.map { (pair.source(of: $0), $0) }
    for case (let source?, let column) in sources {
      laterNames[source.name.asciiLowercased] = column.name.asciiLowercased
    }
    for (source, column) in sources where !(source.map { holdsTheSame($0, column) } ?? false) {
      changed.insert(column.name.asciiLowercased)
    }
    // A generated column changes with the columns from which it is computed.
    while let column = after.columns.first(where: { column in
      !changed.contains(column.name.asciiLowercased) && column.generatedSQL.map(namesChanged) == true
    }) {
      changed.insert(column.name.asciiLowercased)
    }
    for (source, column) in sources where !(source.map { remainDistinct($0, column) } ?? false) {
      merged.insert(column.name.asciiLowercased)
    }
    // The number by which the rowid replaces NULL may be that of a later row.
    if let key = rowIDColumns.after, let source = after.column(key).flatMap(pair.source),
      pair.before.mayHoldNull(source)
    {
      merged.insert(key)
    }
  }

  var risks: [SuggestedMigration.Risk] {
    checks + keys.map { SuggestedMigration.Risk(text: $0) } + types
      + references.map { SuggestedMigration.Risk(text: $0) }
  }

  /// Describes the rows that may prevent the creation of a unique index; nil if an equal index existed before.
  func text(ofUniqueIndex index: SQLCreateIndex, in source: SQLSource, was old: (SQLCreateIndex, SQLSource)?) -> String?
  {
    let columns = index.columns.map { source.text(of: $0.tokens) }
    let condition = index.condition.map { source.text(of: $0.tokens) }
    let names = index.columns.compactMap(\.column?.folded)
    let key = UniqueKey(
      index.columns.compactMap { item in item.column.map { ($0.value, item.collation?.value) } }, of: after)
    // A partial index holds only some of the rows.
    guard !names.contains(where: isAlwaysNull), names.count < columns.count || !isGuaranteed(key) else { return nil }
    let isNew =
      old.map { old, oldSource in
        !old.isUnique || old.columns.map { canonical(oldSource.text(of: $0.tokens)) } != columns.map(plain)
          || old.condition.map { canonical(oldSource.text(of: $0.tokens)) } != condition.map(plain)
      } ?? true
    guard isNew || (columns + [condition].compactMap(\.self)).contains(where: namesChanged) else { return nil }
    return alike(columns)
  }

  // MARK: - Columns

  private func holdsTheSame(_ old: ColumnDescription, _ new: ColumnDescription) -> Bool {
    before.isStrict == after.isStrict && plain(old.declaredType) == plain(new.declaredType)
      && old.collation?.asciiLowercased == new.collation?.asciiLowercased
      && old.generatedSQL.map(canonical) == new.generatedSQL.map(plain)
  }

  /// Returns whether a column that does not change its collation keeps different values different.
  private func remainDistinct(_ old: ColumnDescription, _ new: ColumnDescription) -> Bool {
    guard !old.isGenerated, !new.isGenerated else { return !changed.contains(new.name.asciiLowercased) }
    switch (affinity(old, of: before), affinity(new, of: after)) {
    case (_, .blob), (.real, .integer), (.real, .numeric), (.integer, .numeric), (.numeric, .integer): return true
    // A real number with more than 15 digits, which would be rounded, is not expected in a column for integers.
    case (.integer, .text): return true
    case (let old, let new): return old == new
    }
  }

  /// The affinity of a column; in a STRICT table, `ANY` does not convert values (https://www.sqlite.org/stricttables.html).
  private func affinity(_ column: ColumnDescription, of table: TableDescription) -> ColumnAffinity {
    table.isStrict && column.declaredType.asciiLowercased == "any" ? .blob : column.affinity
  }

  /// Returns whether SQL from the later definition contains the name of a changed column.
  private func namesChanged(_ sql: String) -> Bool { SQLSource(sql).tokens.contains { changed.contains($0.folded) } }

  private func plain(_ sql: String) -> String { SQLNormalization.canonicalText(of: sql) }

  /// Returns SQL from the earlier definition in canonical form, with the later names of the columns.
  private func canonical(_ sql: String) -> String {
    let texts = SQLSource(sql).tokens.map { token in
      let isName = token.kind == .word || token.kind == .quotedIdentifier
      return isName ? laterNames[token.folded]?.quotedIdentifier ?? token.text : token.text
    }
    return SQLNormalization.canonicalText(of: texts.joined(separator: " "))
  }

  private func later(_ columns: [String]) -> [String] { columns.map { laterNames[$0.asciiLowercased] ?? Self.gone } }

  /// Returns whether a column of the later definition is NULL in every row.
  private func isAlwaysNull(_ name: String) -> Bool {
    guard !laterNames.values.contains(name), let column = after.column(name) else { return false }
    return !column.hasDefault && !column.isGenerated
  }

  /// Returns whether no two rows can have equal values in a key, since they have different values in some of its columns.
  private func isGuaranteed(_ key: UniqueKey) -> Bool {
    uniqueKeys.contains { old in
      old.collations.allSatisfy { name, collation in
        guard let later = laterNames[name], let new = key.collations[later] else { return false }
        // BINARY distinguishes all values that another collation distinguishes.
        return !merged.contains(later) && (new == collation || new == "binary")
      }
    }
  }

  // MARK: - Constraints

  private var checks: [SuggestedMigration.Risk] {
    let old = Set(before.checks.map { canonical($0.sql) })
    return after.checks.filter { !old.contains(plain($0.sql)) || namesChanged($0.sql) }.map { check in
      SuggestedMigration.Risk(
        text: "a row of \"\(after.name)\" for which CHECK (\(check.sql)) is false makes the migration fail",
        probe: probe(of: check.sql))
    }
  }

  /// Returns statements that fail if the defaults of the new columns that a CHECK names violate it; empty if it depends on
  /// other values.
  private func probe(of check: String) -> [String] {
    let names = Set(SQLSource(check).tokens.filter { $0.kind == .word || $0.kind == .quotedIdentifier }.map(\.folded))
    let columns = after.columns.filter { names.contains($0.name.asciiLowercased) }
    guard names.isDisjoint(with: ["rowid", "oid", "_rowid_"]) else { return [] }
    return probe(of: columns, ", CHECK (\(check))")
  }

  /// Returns statements that fail if a table with only these columns does not accept their defaults; empty if the columns
  /// have other values.
  private func probe(of columns: [ColumnDescription], _ constraint: String = "") -> [String] {
    guard !columns.isEmpty, columns.allSatisfy(isConstant) else { return [] }
    let definitions = columns.map { column in
      let collation = column.collation.map { " COLLATE \($0.quotedIdentifier)" } ?? ""
      let value = column.defaultValueSQL.map { " DEFAULT \($0)" } ?? ""
      return "\(column.name.quotedIdentifier) \(column.declaredType)\(collation)\(value)"
    }
    let table = after.name.quotedIdentifier
    let body = definitions.joined(separator: ", ") + constraint
    return ["CREATE TABLE \(table) (\(body))\(after.isStrict ? " STRICT" : "")", "INSERT INTO \(table) DEFAULT VALUES"]
  }

  /// Returns whether a column of the later definition has the same value, or NULL, in every row.
  private func isConstant(_ column: ColumnDescription) -> Bool {
    let name = column.name.asciiLowercased
    guard !laterNames.values.contains(name), !column.isGenerated, name != rowIDColumns.after else { return false }
    let value = SQLSource(column.defaultValueSQL ?? "NULL")
    return value.isLiteral(value.tokens.indices)
  }

  private var keys: [String] {
    let keys = [after.primaryKey?.keyColumns].compactMap(\.self) + after.uniqueKeys.map(\.columns)
    return keys.compactMap { columns in
      let names = columns.map(\.name.asciiLowercased)
      // NULL is equal to nothing. The rowid replaces it by a new number, and a key that rejects it is a risk of its own.
      guard !names.contains(where: isAlwaysNull),
        !isGuaranteed(UniqueKey(columns.map { ($0.name, $0.collation) }, of: after))
      else { return nil }
      return alike(quoted(names))
    }
  }

  private func alike(_ columns: [String]) -> String {
    "rows of \"\(after.name)\" with equal values in \(columns.joined(separator: ", ")) make the migration fail"
  }

  private func quoted(_ columns: [String]) -> [String] { columns.map { after.column($0)?.name.quotedIdentifier ?? $0 } }

  private var types: [SuggestedMigration.Risk] {
    var risks: [SuggestedMigration.Risk] = []
    if after.isStrict, !before.isStrict {
      let text =
        "a value in \"\(after.name)\" that is not of its column's type makes the migration fail: the table becomes STRICT"
      risks.append(SuggestedMigration.Risk(text: text))
    } else if after.isStrict {
      risks += after.columns.filter {
        changed.contains($0.name.asciiLowercased) && !isAlwaysNull($0.name.asciiLowercased)
      }.map { column in
        SuggestedMigration.Risk(
          text: "a value in \"\(column.name)\" of \"\(after.name)\" that is not of its type makes the migration fail",
          probe: probe(of: [column]))
      }
    }
    if let key = rowIDColumns.after, rowIDColumns.before.flatMap({ laterNames[$0] }) != key,
      laterNames.values.contains(key)
    {
      let name = after.column(key)?.name ?? key
      let text = "a value in \"\(name)\" of \"\(after.name)\" that is not an integer makes the migration fail"
      risks.append(SuggestedMigration.Risk(text: text))
    }
    return risks
  }

  private var references: [String] {
    let old = Set(before.foreignKeys.map { [later($0.originColumns), $0.target] })
    // SQLite lists foreign keys in the reverse order of their declaration.
    return after.foreignKeys.reversed().compactMap { key in
      let names = key.originColumns.map(\.asciiLowercased)
      guard !old.contains([names, key.target]) || !changed.isDisjoint(with: names), !names.contains(where: isAlwaysNull)
      else { return nil }
      return "a row of \"\(after.name)\" whose \(quoted(names).joined(separator: ", ")) is not in"
        + " \"\(key.destinationTable)\" violates the foreign key"
    }
  }
}

/// The columns of a key or unique index, in any order.
struct UniqueKey {
  /// The collation by which each column is compared, by the column's name; both are in lower case.
  private(set) var collations: [String: String] = [:]

  /// - Parameter columns: Names of columns of the table, and the collations that replace those of the table; may be nil.
  init(_ columns: [(name: String, collation: String?)], of table: TableDescription) {
    for (name, collation) in columns {
      let collation = collation ?? table.column(name)?.collation ?? "binary"
      collations[name.asciiLowercased] = collation.asciiLowercased
    }
  }
}

extension ForeignKeyDescription {
  fileprivate var target: [String] { ([destinationTable] + destinationColumns).map(\.asciiLowercased) }
}
