internal import SQLSyntax

extension SchemaSnapshot {
  /// Returns the schema as a script that creates it in an empty database; equal schemas have equal scripts.
  ///
  /// Tables come first, each followed by its indexes, then virtual tables, indexes of the tables that virtual tables
  /// create, views and triggers; each group is ordered by name. Objects that the engine or a virtual table creates are
  /// left out, since they could not be created twice.
  ///
  /// - Parameter tables: Tables to leave out, with their indexes and triggers, such as a ledger.
  package func sql(leavingOut tables: Set<String> = []) -> String {
    statements(leavingOut: tables).map { SQLFragment.closed($0) + ";\n" }.joined(separator: "\n")
  }

  private func statements(leavingOut omitted: Set<String>) -> [String] {
    let objects = countedObjects(leavingOut: omitted)
    let counted = objects.keys.sorted().compactMap { objects[$0] }
    var statements: [String] = []
    let add = { (objects: [SchemaObject]) in statements += objects.compactMap(\.sql) }
    var indexes = Dictionary(grouping: counted.filter { $0.kind == .index }, by: \.tableName.asciiLowercased)
    for table in counted where table.kind == .table && !table.isVirtual {
      add([table] + (indexes.removeValue(forKey: table.name.asciiLowercased) ?? []))
    }
    // A table that reads another full-text table must come after it (https://www.sqlite.org/fts3.html#fts4aux).
    let virtual = counted.filter { $0.kind == .table && $0.isVirtual }
    add(virtual.filter { !$0.readsFullText })
    add(virtual.filter(\.readsFullText))
    add(counted.filter { $0.kind == .index && indexes[$0.tableName.asciiLowercased] != nil })
    add(counted.filter { $0.kind == .view })
    add(counted.filter { $0.kind == .trigger })
    return statements
  }
}

extension SchemaObject {
  /// The keywords and names in the definition, in lowercase.
  package var mentions: Set<String> { Set(SQLSource(sql ?? "").tokens.map(\.folded)) }

  /// Whether it is a virtual table that only reads a full-text table, and has no storage
  /// (https://www.sqlite.org/fts3.html#fts4aux).
  package var readsFullText: Bool { isVirtual && !mentions.isDisjoint(with: ["fts4aux", "fts5vocab"]) }
}
