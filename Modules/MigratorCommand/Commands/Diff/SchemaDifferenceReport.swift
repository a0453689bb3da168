internal import Migrator
internal import SQLMigrations

/// The difference between two schemas, as text and as JSON; the tool's own table is not included.
struct SchemaDifferenceReport: Encodable {
  struct Object: Encodable {
    var kind: SchemaObject.Kind
    var name: String
    /// The object's definition; nil for a changed object, and for an index that belongs to a constraint of its table.
    var sql: String?
    var before: String?
    var after: String?
  }

  let made: [Object]
  let changed: [Object]
  let removed: [Object]

  init(_ difference: SchemaDifference) {
    made = Self.objects(difference.made)
    removed = Self.objects(difference.removed)
    changed = difference.changed.map {
      Object(kind: $0.after.kind, name: $0.after.name, before: $0.before.sql, after: $0.after.sql)
    }
  }

  var isEmpty: Bool { made.isEmpty && changed.isEmpty && removed.isEmpty }

  private static func objects(_ objects: [SchemaObject]) -> [Object] {
    objects.filter { $0.tableName != DevelopmentMark.tableName }.map {
      Object(kind: $0.kind, name: $0.name, sql: $0.sql)
    }
  }

  /// A summary with the numbers of objects, such as "2 objects created, 1 object changed".
  var summary: String {
    [(made.count, "created"), (changed.count, "changed"), (removed.count, "removed")].filter { $0.0 > 0 }
      .map { "\(counted($0.0, "object")) \($0.1)" }.joined(separator: ", ")
  }

  func removedLines(style: Style) -> [String] {
    removed.map { style("- \($0.kind) \($0.name.oneLine)", .bad) }
  }

  /// Returns one line per object, such as `+ table author`; a changed object is followed by the diff of its
  /// definitions.
  func lines(style: Style) -> [String] {
    var lines = made.map { style("+ \($0.kind) \($0.name.oneLine)", .good) }
    lines += removedLines(style: style)
    for change in changed {
      lines.append(style("~ \(change.kind) \(change.name.oneLine)", .waiting))
      lines += Self.compared(change.before ?? "", change.after ?? "").map { line in
        let role: Style.Role = line.hasPrefix("+") ? .good : line.hasPrefix("-") ? .bad : .faint
        return "    " + style(line, role)
      }
    }
    return lines
  }

  /// Returns a line diff of two definitions; `-` marks lines only in the first definition, `+` lines only in the
  /// second.
  static func compared(_ before: String, _ after: String) -> [String] {
    let old = before.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).trimmingWhitespace }
    let new = after.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).trimmingWhitespace }
    let difference = new.difference(from: old)
    var lines = old.map { "  " + $0 }
    for case .remove(let offset, let line, _) in difference { lines[offset] = "- " + line }
    // Inserts each new line at its index among the unchanged lines, after the lines that it replaces.
    for case .insert(let offset, let line, _) in difference {
      let kept = lines.indices.filter { !lines[$0].hasPrefix("-") }
      lines.insert("+ " + line, at: offset < kept.count ? kept[offset] : lines.count)
    }
    return lines
  }
}
