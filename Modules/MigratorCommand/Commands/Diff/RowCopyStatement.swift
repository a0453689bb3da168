internal import Migrator
internal import SQLSyntax

struct RowCopyStatement {
  let sql: String
  private(set) var losses: [String] = []
  private(set) var risks: [String] = []

  init(_ pair: SchemaPath.Pair, to copy: String) {
    var targets: [String] = []
    var sources: [String] = []
    var used: Set<String> = []
    for column in pair.after.givenColumns {
      guard let source = pair.source(of: column) else {
        if pair.after.refusesNull(column), !column.hasDefault, pair.after.rowIDColumn != column.name.asciiLowercased {
          risks.append(Self.needsValue(column, pair))
        }
        continue
      }
      targets.append(column.name.quotedIdentifier)
      sources.append(source.name.quotedIdentifier)
      used.insert(source.name.asciiLowercased)
      risks += Self.risks(ofNullIn: column, from: source, pair) + Self.risks(ofTypeOf: column, from: source, pair)
    }
    losses = pair.before.givenColumns.filter { !used.contains($0.name.asciiLowercased) }.map(pair.loss)
    if let old = pair.before.hiddenRowIDName, let new = pair.after.hiddenRowIDName {
      targets.insert(new, at: 0)
      sources.insert(old, at: 0)
    }
    let columns = pair.after.givenColumns
    if targets.isEmpty, let target = columns.first(where: { !pair.after.refusesNull($0) }) ?? columns.first {
      // No column is copied; the statement still fails if a row needs a value for a column.
      if pair.after.refusesNull(target) { risks.append(Self.needsValue(target, pair)) }
      targets = [target.name.quotedIdentifier]
      sources = ["NULL"]
      losses.append("the rows of table \"\(pair.before.name)\", none of whose values are copied")
    }
    risks += RowRisks(pair).texts
    // OR ABORT, because a constraint with an ON CONFLICT clause could silently skip rows.
    sql =
      "INSERT OR ABORT INTO \(copy.quotedIdentifier) (\(targets.joined(separator: ", ")))"
      + " SELECT \(sources.joined(separator: ", ")) FROM \(pair.before.name.quotedIdentifier)"
  }

  private static func risks(
    ofNullIn column: ColumnDescription, from source: ColumnDescription, _ pair: SchemaPath.Pair
  ) -> [String] {
    let row = "a row with NULL in \"\(column.name)\" of \"\(pair.after.name)\""
    guard !pair.before.refusesNull(source), pair.before.rowIDColumn != source.name.asciiLowercased else { return [] }
    // The rowid replaces NULL by a new number, even if the column is NOT NULL.
    if pair.after.rowIDColumn == column.name.asciiLowercased {
      return ["\(row) gets a new number: the column is the rowid"]
    }
    return pair.after.refusesNull(column) ? ["\(row) makes the migration fail"] : []
  }

  /// The values that another type converts (https://www.sqlite.org/datatype3.html#type_affinity).
  private static func risks(
    ofTypeOf column: ColumnDescription, from source: ColumnDescription, _ pair: SchemaPath.Pair
  ) -> [String] {
    let place = "\"\(column.name)\" of \"\(pair.after.name)\""
    return switch (source.affinity, column.affinity) {
    case (.text, .integer), (.text, .numeric), (.text, .real), (.blob, .integer), (.blob, .numeric), (.blob, .real):
      ["text that looks like a number becomes one in \(place): '007' becomes 7"]
    case (.integer, .real), (.numeric, .real): ["integers of more than 15 digits in \(place) are rounded"]
    default: []
    }
  }

  private static func needsValue(_ column: ColumnDescription, _ pair: SchemaPath.Pair) -> String {
    "\"\(column.name)\" of \"\(pair.after.name)\" needs a value for each row: it is NOT NULL and has no default"
  }
}

extension SchemaPath.Pair {
  /// Returns the note that the values of a column of the earlier definition are lost.
  func loss(of column: ColumnDescription) -> String {
    "column \"\(column.name)\" of table \"\(before.name)\" with its values"
  }
}

extension ColumnDescription {
  fileprivate var hasDefault: Bool { defaultValueSQL.map { $0.asciiLowercased != "null" } ?? false }
}

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
  private var changed: Set<String> = []

  init(_ pair: SchemaPath.Pair) {
    (before, after) = (pair.before.description, pair.after.description)
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
  }

  var texts: [String] { checks + keys + types + references }

  /// Describes the rows that may prevent the creation of a unique index; nil if an equal index existed before.
  func text(ofUniqueIndex index: SQLCreateIndex, in source: SQLSource, was old: (SQLCreateIndex, SQLSource)?) -> String?
  {
    let columns = index.columns.map { source.text(of: $0.tokens) }
    let condition = index.condition.map { source.text(of: $0.tokens) }
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
    return column.defaultValueSQL == nil && !column.isGenerated
  }

  // MARK: - Constraints

  private var checks: [String] {
    let old = Set(before.checks.map { canonical($0.sql) })
    return after.checks.filter { !old.contains(plain($0.sql)) || namesChanged($0.sql) }.map { check in
      "a row of \"\(after.name)\" for which CHECK (\(check.sql)) is false makes the migration fail"
    }
  }

  private var keys: [String] {
    let old = Set(before.uniqueColumns.map { Set(later($0.columns.map(\.name))) })
    return after.uniqueColumns.compactMap { key in
      let names = key.columns.map(\.name.asciiLowercased)
      let isNew = !old.contains(Set(names)) || key.columns.contains { $0.collation != nil }
      guard isNew || !changed.isDisjoint(with: names) else { return nil }
      // NULL is equal to nothing, so rows with NULL are unique, except in a primary key that rejects NULL.
      if !key.isPrimary, names.contains(where: isAlwaysNull) { return nil }
      return alike(quoted(names))
    }
  }

  private func alike(_ columns: [String]) -> String {
    "rows of \"\(after.name)\" with equal values in \(columns.joined(separator: ", ")) make the migration fail"
  }

  private func quoted(_ columns: [String]) -> [String] { columns.map { after.column($0)?.name.quotedIdentifier ?? $0 } }

  private var types: [String] {
    var texts: [String] = []
    if after.isStrict, !before.isStrict {
      texts.append(
        "a value in \"\(after.name)\" that is not of its column's type makes the migration fail: the table becomes STRICT"
      )
    } else if after.isStrict {
      texts += after.columns.map(\.name).filter {
        changed.contains($0.asciiLowercased) && !isAlwaysNull($0.asciiLowercased)
      }.map { "a value in \"\($0)\" of \"\(after.name)\" that is not of its type makes the migration fail" }
    }
    if let key = rowIDColumns.after, rowIDColumns.before.flatMap({ laterNames[$0] }) != key,
      laterNames.values.contains(key)
    {
      let name = after.column(key)?.name ?? key
      texts.append("a value in \"\(name)\" of \"\(after.name)\" that is not an integer makes the migration fail")
    }
    return texts
  }

  private var references: [String] {
    let old = Set(before.foreignKeys.map { [later($0.originColumns), $0.target] })
    // SQLite lists foreign keys in the reverse order of their declaration.
    return after.foreignKeys.reversed().compactMap { key in
      let names = key.originColumns.map(\.asciiLowercased)
      guard !old.contains([names, key.target]) || !changed.isDisjoint(with: names), !names.contains(where: isAlwaysNull)
      else { return nil }
      return "a row of \"\(after.name)\" whose \(quoted(names).joined(separator: ", ")) is not in"
        + " \"\(key.destinationTable.asciiLowercased)\" violates the foreign key"
    }
  }
}

extension TableDescription {
  /// The columns of each PRIMARY KEY and UNIQUE constraint; unique indexes are separate objects and not included.
  fileprivate var uniqueColumns: [(columns: [KeyColumn], isPrimary: Bool)] {
    [primaryKey].compactMap(\.self).map { ($0.keyColumns, true) } + uniqueKeys.map { ($0.columns, false) }
  }
}

extension ForeignKeyDescription {
  fileprivate var target: [String] { ([destinationTable] + destinationColumns).map(\.asciiLowercased) }
}
