/// A deliberate fault in the manual procedure, which the tests must detect.
enum HandmadeFault: String, CaseIterable, Sendable {
  case losesClauses, losesObjects, losesMappings, keepsOrder, fillsNothing

  func make(in change: inout ModelChange) {
    switch self {
    case .losesClauses:
      guard change.kinds.contains("reorder"), let table = change.schema.tables.indices.last,
        let column = change.schema.tables[table].columns.indices.last
      else { return }
      change.schema.tables[table].columns[column].clauses = []
    case .losesObjects:
      if change.kinds.contains("rename table"), !change.schema.objects.isEmpty { change.schema.objects.removeLast() }
    case .losesMappings: change.sources = [:]
    case .keepsOrder:
      if change.kinds.contains("reorder") {
        for table in change.schema.tables.indices { change.schema.tables[table].columns.reverse() }
      }
    case .fillsNothing:
      if change.kinds.contains("change notNull") { change.sources = change.schema.sourcesWithoutDefaults }
    }
  }
}

extension ModelSchema {
  /// The sources, with each column taken from itself.
  fileprivate var sourcesWithoutDefaults: [Int: ModelSQL] {
    let columns = tables.flatMap(\.columns).map(\.number)
    return Dictionary(uniqueKeysWithValues: columns.map { ($0, "\(name: $0)") })
  }
}
