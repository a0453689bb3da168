import Migrator

// Changes of a column's definition.
extension ModelGenerator {
  mutating func changeColumn(in alteration: inout ModelAlteration) {
    let columns = alteration.table.columns.filter { !$0.isGenerated && !alteration.touched.contains($0.number) }
    guard let column = columns.randomElement(using: &random) else { return }
    var (changed, words, text): (ModelColumn, [(ColumnAlteration) -> Void], [String]) = (column, [], [])
    for _ in 0..<pick([1, 1, 2]) {
      let (kind, word) = property(of: &changed, alteration)
      text.append(kind)
      words.append(word)
    }
    // One method may undo the effect of another.
    guard Set(text).count == text.count else { return }
    let schema = alteration.schema
    if once(in: 6), alteration.change.schema.names.count == schema.names.count {
      let other = pick(alteration.table.columns).number
      if !alteration.change.added.contains(other), alteration.touched.isEmpty {
        let source: ModelSQL = pick(["coalesce(\(name: column.number), \(name: other), 4)", "\(name: other)"])
        alteration.change.sources[column.number] = source
        let sql = schema.text(source)
        words.append { $0.copying(sql: sql) }
        text.append("copying \(sql)")
      }
    }
    alteration.table[column: column.number] = changed
    let (name, steps) = (schema.name(column.number), words)
    let touched = Set([column.number]).union(changed.sql.names)
    alteration.step("change column", "\(name): \(text)", touching: touched) { t in
      t.change(column: name) { c in for step in steps { step(c) } }
    }
    alteration.change.kinds += text.map { "change \($0.prefix { $0 != " " })" }
  }

  private mutating func property(
    of column: inout ModelColumn, _ alteration: ModelAlteration
  ) -> (kind: String, word: (ColumnAlteration) -> Void) {
    let (table, schema) = (alteration.table, alteration.schema)
    let name = name()
    switch Int.random(in: 0..<11, using: &random) {
    case 0...1:
      column.type = type(isStrict: table.isStrict)
      let type = column.type
      return ("type \(type)", { $0.type(type.isEmpty ? nil : ColumnType(type)) })
    case 2...3:
      let conflict = notNullConflict()
      // A plain NOT NULL already exists.
      if !(column.isNotNull && conflict == nil && name == nil) {
        column.replace(with: ModelColumnClause(name: name, kind: .notNull(conflict))) {
          if case .notNull = $0 { true } else { false }
        }
      }
      return ("notNull", { $0.notNull(onConflict: conflict, named: name) })
    case 4:
      column.replace(with: nil) { if case .notNull = $0 { true } else { false } }
      return ("nullable", { $0.nullable() })
    case 5...6:
      let value = once(in: 3) ? nil : defaultValue(of: table)
      column.replace(with: value.map { ModelColumnClause(kind: .defaultValue($0)) }) {
        if case .defaultValue = $0 { true } else { false }
      }
      return ("default \(value ?? "none")", { c in value.map { c.defaults(sql: $0) } ?? c.dropDefault() })
    case 7:
      let condition = condition(of: [column.number])
      column.clauses.append(ModelColumnClause(name: name, kind: .check(condition)))
      let sql = schema.text(condition)
      return ("check \(sql)", { $0.check(sql: sql, named: name) })
    case 8:
      column.replace(with: nil) { if case .check = $0 { true } else { false } }
      return ("checks none", { $0.dropChecks() })
    case 9:
      let collation = once(in: 3) ? nil : pick(["NOCASE", "rtrim"])
      column.replace(with: collation.map { ModelColumnClause(kind: .collate($0)) }) {
        if case .collate = $0 { true } else { false }
      }
      return ("collate \(collation ?? "none")", { $0.collate(collation.map { Collation($0) }) })
    default: return references(of: &column, table, schema, name)
    }
  }

  private mutating func references(
    of column: inout ModelColumn, _ table: ModelTable, _ schema: ModelSchema, _ name: String?
  ) -> (kind: String, word: (ColumnAlteration) -> Void) {
    let reference = once(in: 3) ? nil : reference(from: table, schema, count: 1)
    column.replace(with: reference.map { ModelColumnClause(name: name, kind: .references($0)) }) {
      if case .references = $0 { true } else { false }
    }
    guard let reference else { return ("references none", { $0.dropReferences() }) }
    return (
      "references \(schema.text(reference.sql))",
      { c in
        c.references(
          schema.name(reference.table), column: reference.columns.first.map { schema.name($0) },
          onDelete: reference.onDelete, onUpdate: reference.onUpdate, deferred: reference.isDeferred, named: name)
      }
    )
  }
}

extension ModelColumn {
  /// Replaces the first clause of the same kind, or appends the clause if there is none.
  fileprivate mutating func replace(
    with clause: ModelColumnClause?, where isReplaced: (ModelColumnClause.Kind) -> Bool
  ) {
    let place = clauses.firstIndex { isReplaced($0.kind) }
    clauses.removeAll { isReplaced($0.kind) }
    if let clause { clauses.insert(clause, at: place ?? clauses.count) }
  }
}
