/// Which tables refer to which, at one moment.
struct ForeignKeyGraph {
  /// The foreign keys of each table that has some, by its name in ASCII lower case.
  private(set) var keys: [String: [ForeignKeyDescription]] = [:]

  /// The definition of each table with its indexes, by its name in ASCII lower case.
  ///
  /// A change of either may change what a foreign key means.
  private(set) var signatures: [String: Set<String>] = [:]

  /// Reads the graph.
  ///
  /// - Parameter older: An older graph of the same database; tables whose definition stayed are taken from it.
  init(_ db: Database, reusing older: ForeignKeyGraph? = nil) throws {
    for object in try db.schema().objects where object.kind != .trigger {
      signatures[object.tableName.asciiLowercased, default: []].insert(
        "\(object.kind.rawValue) \(object.name) \(object.sql ?? "")")
    }
    for (table, signature) in signatures {
      if let older, older.signatures[table] == signature {
        keys[table] = older.keys[table]
      } else {
        let found = try db.foreignKeys(on: table)
        if !found.isEmpty { keys[table] = found }
      }
    }
  }

  /// The tables whose verdict may change when these tables change: themselves and those that refer to them.
  func affected(by tables: Set<String>) -> Set<String> {
    Set(
      keys.filter { table, keys in
        tables.contains(table) || keys.contains { tables.contains($0.destinationTable.asciiLowercased) }
      }.keys)
  }

  /// The tables whose definition differs, those that exist in one of the two included.
  func tablesDefinedOtherwise(than other: ForeignKeyGraph) -> Set<String> {
    Set(signatures.keys).union(other.signatures.keys).filter { signatures[$0] != other.signatures[$0] }
  }

  /// The tables that have foreign keys.
  var allReferringTables: Set<String> { Set(keys.keys) }
}
