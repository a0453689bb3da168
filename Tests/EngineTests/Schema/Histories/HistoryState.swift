import Migrator
import SQLSyntax

/// The contents of a database that two ways to the same schema must have in common.
struct HistoryState {
  /// The results of the engine's own pragmas, with all rows.
  let facts: [String]

  /// The definitions in canonical form.
  let definitions: [String]

  let snapshot: SchemaSnapshot

  init(_ db: Database) throws {
    let inventory = try PragmaInventory(db).lines
    facts = inventory.filter { !$0.hasPrefix("main ") }.map { $0.hasPrefix("values ") ? $0 : $0.lowercased() }.sorted()
    snapshot = try db.schema()
    definitions = snapshot.objects.compactMap { object in
      object.sql.map {
        "\(object.kind) \(object.name) of \(object.tableName): \(SQLNormalization.canonicalDefinition(of: $0))"
      }
    }.map { $0.lowercased() }.sorted()
  }

  /// Returns the differences between two states; nil if there are none.
  func difference(from other: HistoryState) -> String? {
    for (kind, own, others) in [
      ("fact", facts, other.facts), ("definition", definitions, other.definitions),
      ("part of the snapshot", snapshot.canonicalParts, other.snapshot.canonicalParts),
    ] where own != others {
      return
        "\(kind) by methods:\n  \(own.filter { !others.contains($0) }.joined(separator: "\n  "))\nby hand:\n  "
        + others.filter { !own.contains($0) }.joined(separator: "\n  ")
    }
    let difference = SchemaDifference(from: snapshot, to: other.snapshot)
    return difference.isEmpty ? nil : "difference: \(difference)"
  }
}

extension SchemaSnapshot {
  /// The parts as text, with SQL in its canonical form.
  fileprivate var canonicalParts: [String] {
    let canonical = SQLNormalization.canonicalText(of:)
    var parts: [String] = []
    for var table in tables {
      for index in table.columns.indices {
        table.columns[index].defaultValueSQL = table.columns[index].defaultValueSQL.map(canonical)
        table.columns[index].generatedSQL = table.columns[index].generatedSQL.map(canonical)
      }
      for index in table.checks.indices { table.checks[index].sql = canonical(table.checks[index].sql) }
      parts.append("\(table)")
    }
    for var index in indexes {
      index.condition = index.condition.map(canonical)
      for place in index.columns.indices { index.columns[place].sql = index.columns[place].sql.map(canonical) }
      parts.append("\(index)")
    }
    for var view in views {
      view.sql = canonical(view.sql)
      parts.append("\(view)")
    }
    for var trigger in triggers {
      trigger.condition = trigger.condition.map(canonical)
      parts.append("\(trigger)")
    }
    return parts.map { $0.lowercased() }.sorted()
  }
}
