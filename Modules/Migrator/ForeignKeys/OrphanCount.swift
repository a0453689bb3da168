/// Rows that refer to nothing, counted by what they refer to rather than by where they are.
///
/// Rowids are no identity: a migration may rebuild a table and renumber them. The values of the key stay.
struct OrphanCount {
  /// What makes two orphans the same.
  struct Orphan: Hashable {
    var origin: String
    var destination: String
    var columns: [String]
    var values: [DatabaseValue]
  }

  private(set) var counts: [Orphan: Int] = [:]

  var total: Int { counts.values.reduce(0, +) }

  /// The key of a violation.
  ///
  /// Rows without a rowid cannot be looked up and count by table and columns alone.
  static func orphan(_ violation: ForeignKeyViolation, in db: Database) throws -> Orphan {
    let key = try db.foreignKeys(on: violation.originTable).first { $0.id == violation.foreignKeyId }
    let columns = key?.originColumns ?? []
    var values: [DatabaseValue] = []
    if let rowID = violation.originRowID, let name = try db.rowIDName(of: violation.originTable), !columns.isEmpty {
      let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      let row = try Row.fetchOne(
        db, sql: "SELECT \(list) FROM main.\(violation.originTable.quotedIdentifier) WHERE \(name) = ?",
        arguments: [rowID])
      values = row?.databaseValues ?? []
    }
    return Orphan(
      origin: violation.originTable.asciiLowercased, destination: violation.destinationTable.asciiLowercased,
      columns: columns.map(\.asciiLowercased), values: values)
  }

  mutating func add(_ orphan: Orphan) { counts[orphan, default: 0] += 1 }

  /// Takes one orphan of the same key out; false when there is none left.
  mutating func remove(_ orphan: Orphan) -> Bool {
    guard let count = counts[orphan] else { return false }
    counts[orphan] = count == 1 ? nil : count - 1
    return true
  }

  /// Takes one orphan with the same values out, which was in one of `tables`; false when there is none left.
  mutating func remove(_ orphan: Orphan, from tables: Set<String>) -> Bool {
    let match = counts.keys.first {
      tables.contains($0.origin) && $0.values == orphan.values && $0.columns.count == orphan.columns.count
    }
    guard let match else { return false }
    return remove(match)
  }
}
