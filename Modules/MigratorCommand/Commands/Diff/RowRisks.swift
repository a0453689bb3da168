internal import Migrator
internal import SQLSyntax

/// What rows may not fit of the later form of their table, apart from what NULL does not fit.
///
/// A constraint that was there before counts as one that all rows fit, as long as the columns that it names hold what they
/// held, and compare as they did.
struct RowRisks {
  private let before: SchemaSide.Table
  private let after: SchemaSide.Table

  /// The later name of each earlier column, both in lower case; nil for one that is gone.
  private let laterNames: [String: String?]

  /// The later columns that hold, or compare, other values than before, in lower case.
  private var changed: Set<String> = []

  init(_ pair: SchemaPath.Pair) {
    (before, after) = (pair.before, pair.after)
    var names: [String: String?] = [:]
    for column in pair.before.definition.columns { names[column.name.folded] = .some(nil) }
    for column in pair.after.definition.columns {
      if let source = pair.source(of: column) { names[source.name.folded] = column.name.folded }
    }
    laterNames = names
    let origins = Dictionary(
      names.compactMap { old, new in new.map { ($0, old) } }, uniquingKeysWith: { one, _ in one })
    for column in after.definition.columns {
      let origin = origins[column.name.folded].flatMap { before.definition.column(named: $0) }
      if origin.map({ !holdsTheSame($0, column) }) ?? true { changed.insert(column.name.folded) }
    }
    spreadToGenerated()
  }

  /// The risks of the table's own constraints.
  var texts: [String] { checks + keys + types + references }

  /// What may keep a unique index from being made; nil when nothing can, since the rows fitted the same one before.
  func text(ofUniqueIndex index: SQLCreateIndex, in source: SQLSource, was old: (SQLCreateIndex, SQLSource)?) -> String?
  {
    let columns = index.columns.map { SQLNormalization.canonicalText(of: source.text(of: $0.tokens)) }
    let isNew =
      old.map { old, oldSource in
        !old.isUnique || old.columns.map { canonical($0.tokens, oldSource) } != columns
          || old.condition.map { canonical($0.tokens, oldSource) }
            != index.condition.map { SQLNormalization.canonicalText(of: source.text(of: $0.tokens)) }
      } ?? true
    let mentioned = index.columns.map(\.tokens) + [index.condition?.tokens].compactMap(\.self)
    guard isNew || mentioned.contains(where: { namesChanged($0, source) }) else { return nil }
    return alike(index.columns.map { source.text(of: $0.tokens) })
  }

  // MARK: - Columns

  private func holdsTheSame(_ old: SQLColumnSyntax, _ new: SQLColumnSyntax) -> Bool {
    guard before.definition.isStrict == after.definition.isStrict else { return false }
    return nature(of: old, canonical(_:_:), before) == nature(of: new, plain(_:_:), after)
  }

  /// What decides on the values of a column, and on how they compare.
  private func nature(
    of column: SQLColumnSyntax, _ text: (Range<Int>, SQLSource) -> String, _ table: SchemaSide.Table
  ) -> [String] {
    let source = table.syntax.source
    return [text(column.type, source)]
      + column.constraints.compactMap { constraint in
        switch constraint.kind {
        case .collate(let name): "collate \(name.folded)"
        case .generated(let expression, _): "as \(text(expression.tokens, source))"
        default: nil
        }
      }
  }

  /// A generated column changes with those that it is computed from.
  private mutating func spreadToGenerated() {
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for column in after.columns(generated: true) where !changed.contains(column.name.folded) {
        if namesChanged(column.tokens, after.syntax.source) { isGrowing = changed.insert(column.name.folded).inserted }
      }
    }
  }

  /// Whether tokens of the later form name a column that has changed.
  private func namesChanged(_ tokens: Range<Int>, _ source: SQLSource) -> Bool {
    source.tokens[tokens].contains { changed.contains($0.folded) }
  }

  private func plain(_ tokens: Range<Int>, _ source: SQLSource) -> String {
    SQLNormalization.canonicalText(of: source.text(of: tokens))
  }

  /// Tokens of the earlier form in canonical spelling, the columns under their later names.
  private func canonical(_ tokens: Range<Int>, _ source: SQLSource) -> String {
    let words = tokens.map { index in
      let token = source.tokens[index]
      guard token.kind == .word || token.kind == .quotedIdentifier, let later = laterNames[token.folded] else {
        return token.text
      }
      // No column has this name: what said something of one that is gone says nothing of the later ones.
      return later?.quotedIdentifier ?? "\"\u{0}\""
    }
    return SQLNormalization.canonicalText(of: words.joined(separator: " "))
  }

  // MARK: - Constraints

  private var checks: [String] {
    let old = Set(Self.checks(of: before).map { canonical($0.tokens, before.syntax.source) })
    let source = after.syntax.source
    return Self.checks(of: after).compactMap { check in
      guard !old.contains(plain(check.tokens, source)) || namesChanged(check.tokens, source) else { return nil }
      return
        "a row of \"\(after.name)\" for which CHECK (\(source.text(of: check.tokens))) is false stops the migration"
    }
  }

  private static func checks(of table: SchemaSide.Table) -> [SQLExpression] {
    table.definition.columns.flatMap { column in
      column.constraints.compactMap { if case .check(let expression, _) = $0.kind { expression } else { nil } }
    }
      + table.definition.constraints.compactMap {
        if case .check(let expression, _) = $0.kind { expression } else { nil }
      }
  }

  private var keys: [String] {
    let old = Set(before.uniqueKeys.map { Set($0.columns.map { laterNames[$0].flatMap(\.self) ?? "\u{0}" }) })
    return after.uniqueKeys.compactMap { key in
      let isNew = !old.contains(Set(key.columns)) || key.hasCollation
      guard isNew || !changed.isDisjoint(with: key.columns) else { return nil }
      // NULL is like nothing else, unless the column is part of a key that has no NULL.
      if !key.isPrimary, key.columns.contains(where: isAlwaysNull) { return nil }
      return alike(key.columns.map { after.definition.column(named: $0)?.name.value.quotedIdentifier ?? $0 })
    }
  }

  private func alike(_ columns: [String]) -> String {
    "rows of \"\(after.name)\" that are alike in \(columns.joined(separator: ", ")) stop the migration"
  }

  private var types: [String] {
    var texts: [String] = []
    if after.definition.isStrict, !before.definition.isStrict {
      texts.append(
        "a value in \"\(after.name)\" that is not of its column's type stops the migration: the table becomes STRICT")
    } else if after.definition.isStrict {
      for column in after.definition.columns
      where changed.contains(column.name.folded) && !isAlwaysNull(column.name.folded) {
        texts.append(
          "a value in \"\(column.name.value)\" of \"\(after.name)\" that is not of its type stops the migration")
      }
    }
    if let key = after.rowIDColumn, before.rowIDColumn.flatMap({ laterNames[$0.name.folded] }) != key.name.folded,
      laterNames.values.contains(key.name.folded)
    {
      texts.append(
        "a value in \"\(key.name.value)\" of \"\(after.name)\" that is no whole number stops the migration")
    }
    return texts
  }

  private var references: [String] {
    let old = Set(
      before.foreignKeys.map { key in
        key.mapping { laterNames[$0].flatMap(\.self) ?? "\u{0}" }
      })
    return after.foreignKeys.compactMap { key in
      guard !old.contains(key) || !changed.isDisjoint(with: key.columns), !key.columns.contains(where: isAlwaysNull)
      else { return nil }
      let columns = key.columns.map { after.definition.column(named: $0)?.name.value.quotedIdentifier ?? $0 }
      return "a row of \"\(after.name)\" whose \(columns.joined(separator: ", ")) is in no row of \"\(key.table)\""
        + " violates the foreign key"
    }
  }

  /// Whether a later column is filled by nothing.
  private func isAlwaysNull(_ column: String) -> Bool {
    guard !laterNames.values.contains(column), let syntax = after.definition.column(named: column)
    else { return false }
    return !syntax.constraints.contains { constraint in
      switch constraint.kind {
      case .defaultValue, .generated: true
      default: false
      }
    }
  }
}
