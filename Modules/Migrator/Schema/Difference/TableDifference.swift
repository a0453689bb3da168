internal import SQLSyntax

/// The differences between two definitions of a table.
package struct TableDifference: Sendable, Equatable {
  /// A column with its definition.
  package struct Column: Sendable, Equatable {
    /// The column's name.
    package let name: String
    /// The definition as written, including the name.
    package let sql: String
  }

  /// A column that is in both definitions but differs.
  package struct ColumnChange: Sendable, Equatable {
    /// The column in the earlier definition.
    package let before: Column
    /// The column in the later definition.
    package let after: Column
    /// The properties that differ; empty if only the order or the spelling differs.
    package let aspects: Set<Aspect>
  }

  /// A part of a column's definition.
  package enum Aspect: String, Sendable, Hashable, CaseIterable {
    /// The declared type.
    case type
    /// The NOT NULL constraint.
    case nullability
    /// The default value.
    case defaultValue = "default"
    /// The collation.
    case collation
    /// The column's role in the primary key or a unique key.
    case key
    /// The CHECK constraints.
    case check
    /// The foreign keys.
    case references
    /// The expression of a generated column.
    case generated
  }

  /// Columns that only the later definition has, in order.
  package let addedColumns: [Column]
  /// Columns that only the earlier definition has, in order.
  package let removedColumns: [Column]
  /// Columns that are in both definitions but differ.
  package let changedColumns: [ColumnChange]
  /// Whether the columns that are in both definitions are in a different order.
  package let isReordered: Bool
  /// Table constraints that only the later definition has, as written.
  package let addedConstraints: [String]
  /// Table constraints that only the earlier definition has, as written.
  package let removedConstraints: [String]
  /// Options such as `STRICT` that only the later definition has.
  package let addedOptions: [String]
  /// Options such as `STRICT` that only the earlier definition has.
  package let removedOptions: [String]

  /// Compares two definitions; nil if one of them does not define an ordinary table.
  init?(from before: String, to after: String) {
    guard let old = TableParts(before), let new = TableParts(after) else { return nil }
    let kept = new.columns.filter { old.column($0.folded) != nil }
    addedColumns = new.columns.filter { old.column($0.folded) == nil }.map(\.column)
    removedColumns = old.columns.filter { new.column($0.folded) == nil }.map(\.column)
    changedColumns = kept.compactMap { column in
      guard let before = old.column(column.folded), before.canonical != column.canonical else { return nil }
      let aspects = Aspect.allCases.filter { before.aspects[$0, default: []] != column.aspects[$0, default: []] }
      return ColumnChange(before: before.column, after: column.column, aspects: Set(aspects))
    }
    isReordered = kept.map(\.folded) != old.columns.filter { new.column($0.folded) != nil }.map(\.folded)
    addedConstraints = Self.rest(of: new.constraints, without: old.constraints)
    removedConstraints = Self.rest(of: old.constraints, without: new.constraints)
    addedOptions = new.options.subtracting(old.options).sorted()
    removedOptions = old.options.subtracting(new.options).sorted()
  }

  /// One line for each difference.
  var lines: [String] {
    var lines =
      addedColumns.map { "+ column \($0.sql.onOneLineOfSQL)" }
      + removedColumns.map { "- column \($0.sql.onOneLineOfSQL)" }
    for change in changedColumns {
      let aspects = Aspect.allCases.filter(change.aspects.contains).map(\.rawValue).joined(separator: ", ")
      let suffix = aspects.isEmpty ? "" : "  (\(aspects))"
      lines.append("~ column \(change.before.sql.onOneLineOfSQL)  ->  \(change.after.sql.onOneLineOfSQL)\(suffix)")
    }
    if isReordered { lines.append("~ order of the columns") }
    lines += addedConstraints.map { "+ \($0.onOneLineOfSQL)" } + removedConstraints.map { "- \($0.onOneLineOfSQL)" }
    lines += addedOptions.map { "+ \($0)" } + removedOptions.map { "- \($0)" }
    return lines.isEmpty ? ["~ order of the constraints"] : lines
  }

  /// Returns the text of the constraints that match none of `others`; each of the others can match only one constraint.
  private static func rest(of constraints: [TableParts.Constraint], without others: [TableParts.Constraint]) -> [String]
  {
    var others = others.map(\.canonical)
    return constraints.filter { constraint in
      guard let match = others.firstIndex(of: constraint.canonical) else { return true }
      others.remove(at: match)
      return false
    }.map(\.sql)
  }
}

/// A table's definition, divided into parts that can be compared.
struct TableParts {
  struct Column {
    let column: TableDifference.Column
    let folded: String
    let canonical: String
    let aspects: [TableDifference.Aspect: [String]]
  }

  struct Constraint {
    let sql: String
    let canonical: String
  }

  let columns: [Column]
  let constraints: [Constraint]
  let options: Set<String>

  init?(_ sql: String) {
    guard let syntax = try? SQLTree(parsing: sql), case .createTable(let table) = syntax.statement,
      table.select == nil
    else { return nil }
    let source = syntax.source
    let canonical = { (tokens: Range<Int>) in SQLNormalization.canonicalText(of: source.text(of: tokens)) }
    columns = table.columns.map { column in
      var aspects: [TableDifference.Aspect: [String]] = [:]
      if !column.type.isEmpty { aspects[.type] = [canonical(column.type)] }
      for constraint in column.constraints {
        guard let aspect = constraint.kind.aspect else { continue }
        aspects[aspect, default: []].append(canonical(constraint.tokens))
      }
      return Column(
        column: TableDifference.Column(name: column.name.value, sql: source.text(of: column.tokens)),
        folded: column.name.folded,
        canonical: SQLNormalization.canonicalText(of: column, in: table, source), aspects: aspects)
    }
    constraints = table.constraints.map { Constraint(sql: source.text(of: $0.tokens), canonical: canonical($0.tokens)) }
    options = Set(table.options)
  }

  func column(_ folded: String) -> Column? { columns.first { $0.folded == folded } }
}

extension SQLColumnConstraint.Kind {
  fileprivate var aspect: TableDifference.Aspect? {
    switch self {
    case .primaryKey, .unique: .key
    case .notNull, .null: .nullability
    case .check: .check
    case .defaultValue: .defaultValue
    case .collate: .collation
    case .references, .deferral: .references
    case .generated: .generated
    case .nothing: nil
    }
  }
}
