internal import SQLSyntax

/// A table's definition, divided into parts that can be compared.
struct TableParts {
  /// A part of a column's definition; the names are those in a difference.
  private enum Aspect: String, CaseIterable {
    case type, nullability, defaultValue = "default", collation, key, check, references, generated

    init?(_ kind: SQLColumnConstraint.Kind) {
      switch kind {
      case .primaryKey, .unique: self = .key
      case .notNull, .null: self = .nullability
      case .check: self = .check
      case .defaultValue: self = .defaultValue
      case .collate: self = .collation
      case .references, .deferral: self = .references
      case .generated: self = .generated
      case .nothing: return nil
      }
    }
  }

  private struct Column {
    let folded: String
    let line: String
    let canonical: String
    let aspects: [Aspect: [String]]
  }

  private struct Constraint {
    let line: String
    let canonical: String
  }

  private let columns: [Column]
  private let constraints: [Constraint]
  private let options: Set<String>

  /// Parses a definition; nil if it does not define an ordinary table.
  init?(_ sql: String) {
    guard let syntax = try? SQLTree(parsing: sql), case .createTable(let table) = syntax.statement,
      table.select == nil
    else { return nil }
    let source = syntax.source
    let canonical = { (tokens: Range<Int>) in SQLNormalization.canonicalText(of: source.text(of: tokens)) }
    columns = table.columns.map { column in
      var aspects: [Aspect: [String]] = [:]
      if !column.type.isEmpty { aspects[.type] = [canonical(column.type)] }
      for constraint in column.constraints {
        guard let aspect = Aspect(constraint.kind) else { continue }
        aspects[aspect, default: []].append(canonical(constraint.tokens))
      }
      return Column(
        folded: column.name.folded, line: source.text(of: column.tokens).onOneLineOfSQL,
        canonical: SQLNormalization.canonicalText(of: column, in: table, source), aspects: aspects)
    }
    constraints = table.constraints.map {
      Constraint(line: source.text(of: $0.tokens).onOneLineOfSQL, canonical: canonical($0.tokens))
    }
    options = Set(table.options)
  }

  func differences(from old: TableParts) -> [String] {
    let kept = columns.filter { old.column($0.folded) != nil }
    let keptBefore = old.columns.filter { column($0.folded) != nil }
    var lines =
      columns.filter { old.column($0.folded) == nil }.map { "+ column \($0.line)" }
      + old.columns.filter { column($0.folded) == nil }.map { "- column \($0.line)" }
    for after in kept {
      guard let before = old.column(after.folded), before.canonical != after.canonical else { continue }
      // Without an aspect, only the order or the spelling differs.
      let aspects = Aspect.allCases.filter { before.aspects[$0, default: []] != after.aspects[$0, default: []] }
      let suffix = aspects.isEmpty ? "" : "  (\(aspects.map(\.rawValue).joined(separator: ", ")))"
      lines.append("~ column \(before.line)  ->  \(after.line)\(suffix)")
    }
    if kept.map(\.folded) != keptBefore.map(\.folded) { lines.append("~ order of the columns") }
    lines += rest(without: old).map { "+ \($0)" } + old.rest(without: self).map { "- \($0)" }
    lines += options.subtracting(old.options).sorted().map { "+ \($0)" }
    lines += old.options.subtracting(options).sorted().map { "- \($0)" }
    return lines.isEmpty ? ["~ order of the constraints"] : lines
  }

  private func column(_ folded: String) -> Column? { columns.first { $0.folded == folded } }

  /// Returns the constraints that match none of another table; each of those can match only one constraint.
  private func rest(without other: TableParts) -> [String] {
    var others = other.constraints.map(\.canonical)
    return constraints.filter { constraint in
      guard let match = others.firstIndex(of: constraint.canonical) else { return true }
      others.remove(at: match)
      return false
    }.map(\.line)
  }
}
