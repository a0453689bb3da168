internal import SQLSyntax

extension SchemaSnapshot {
  /// The schema as a script that creates it in an empty database; equal schemas give equal scripts.
  ///
  /// Tables come first, each followed by its indexes, then virtual tables, views and triggers; each group is ordered by
  /// name. What the engine or a virtual table creates by itself is left out, since it could not be created twice.
  ///
  /// - Parameter tables: Tables that are left out with all that belongs to them, such as a ledger.
  public func sql(leavingOut tables: Set<String> = []) -> String {
    statements(leavingOut: tables).map { $0.closedForMoreSQL + ";\n" }.joined(separator: "\n")
  }

  /// The statements of ``sql(leavingOut:)``.
  private func statements(leavingOut omitted: Set<String>) -> [String] {
    let counted = countedObjects(leavingOut: omitted).sorted { $0.key < $1.key }.map(\.value)
    var statements: [String] = []
    let add = { (objects: [SchemaObject]) in statements += objects.compactMap(\.sql) }
    for table in counted where table.kind == .table && !table.isVirtual {
      let name = table.name.asciiLowercased
      add([table] + counted.filter { $0.kind == .index && $0.tableName.asciiLowercased == name })
    }
    // A table that looks into another full-text table comes after it (https://www.sqlite.org/fts3.html#fts4aux).
    let virtual = counted.filter { $0.kind == .table && $0.isVirtual }
    let looksIntoOther = { (table: SchemaObject) in
      !table.mentions.isDisjoint(with: ["fts4aux", "fts5vocab"])
    }
    add(virtual.filter { !looksIntoOther($0) })
    add(virtual.filter(looksIntoOther))
    add(counted.filter { $0.kind == .view })
    add(counted.filter { $0.kind == .trigger })
    return statements
  }
}
