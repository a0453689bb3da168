internal import Migrator
internal import SQLMigrations

/// What distinguishes two schemas, for people and as JSON; what the tool keeps for itself does not count.
struct SchemaDifferenceReport: Encodable {
  struct Object: Encodable {
    /// What it is: table, index, view or trigger.
    var kind: String
    var name: String
    /// Its definition; nil for one that comes with a constraint of its table.
    var sql: String?
  }

  /// An object that is defined otherwise.
  struct Change: Encodable {
    var kind: String
    var name: String
    var before: String?
    var after: String?
  }

  /// What only the later schema has.
  var made: [Object]
  /// What both have, defined otherwise.
  var changed: [Change]
  /// What only the earlier schema has.
  var removed: [Object]

  init(_ difference: SchemaDifference) {
    made = difference.made.filter(Self.counts).map(Self.object)
    removed = difference.removed.filter(Self.counts).map(Self.object)
    changed = difference.changed.map {
      Change(kind: $0.after.kind.rawValue, name: $0.after.name, before: $0.before.sql, after: $0.after.sql)
    }
  }

  /// Whether both schemas say the same.
  var isEmpty: Bool { made.isEmpty && changed.isEmpty && removed.isEmpty }

  private static func counts(_ object: SchemaObject) -> Bool { object.tableName != DevelopmentMark.tableName }

  private static func object(_ object: SchemaObject) -> Object {
    Object(kind: object.kind.rawValue, name: object.name, sql: object.sql)
  }

  /// The difference, one object a line: `+ table author`; changed ones with both definitions, their lines marked.
  func lines(style: Style) -> [String] {
    var lines = made.map { style("+ \($0.kind) \($0.name.oneLine)", .good) }
    lines += removed.map { style("- \($0.kind) \($0.name.oneLine)", .bad) }
    for change in changed {
      lines.append(style("~ \(change.kind) \(change.name.oneLine)", .waiting))
      lines += Self.compared(change.before ?? "", change.after ?? "").map { line in
        let role: Style.Role = line.hasPrefix("+") ? .good : line.hasPrefix("-") ? .bad : .faint
        return "    " + style(line, role)
      }
    }
    return lines
  }

  /// The lines of two definitions: those that only one has after `-` and `+`, common ones after a space.
  static func compared(_ before: String, _ after: String) -> [String] {
    let old = before.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).trimmingBlanks }
    let new = after.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).trimmingBlanks }
    let difference = new.difference(from: old)
    let removed = Set(
      difference.removals.compactMap { change -> Int? in
        if case .remove(let offset, _, _) = change { offset } else { nil }
      })
    let inserted = Set(
      difference.insertions.compactMap { change -> Int? in
        if case .insert(let offset, _, _) = change { offset } else { nil }
      })
    var lines: [String] = []
    var (one, other) = (0, 0)
    while one < old.count || other < new.count {
      if one < old.count, removed.contains(one) {
        lines.append("- " + old[one])
        one += 1
      } else if other < new.count, inserted.contains(other) {
        lines.append("+ " + new[other])
        other += 1
      } else {
        if one < old.count { lines.append("  " + old[one]) }
        one += 1
        other += 1
      }
    }
    return lines
  }
}
