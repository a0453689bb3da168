internal import SQLSyntax

/// The tables and other objects that would be lost if the database were erased.
package struct DatabaseContents: Equatable, Sendable {
  /// A table with its number of rows.
  package struct Table: Equatable, Sendable, Encodable {
    /// The table's name.
    package var name: String
    /// The number of rows; nil if they cannot be counted, as in a virtual table whose module is missing, or that stores
    /// no rows (https://www.sqlite.org/fts3.html#contentless_fts4_tables).
    package var rows: Int?
    /// The reason why a rebuild did not restore the table's rows; nil if it did not try to restore them.
    package var reason: String?

    /// Creates a table.
    package init(name: String, rows: Int? = nil, reason: String? = nil) {
      (self.name, self.rows, self.reason) = (name, rows, reason)
    }
  }

  /// The tables in the order of their creation, without the migrator's own tables.
  package private(set) var tables: [Table] = []
  /// The number of views and triggers.
  private(set) var otherObjects = 0

  /// Reads the contents, without the given tables, whose names are in ASCII lower case.
  package init(_ db: Database, besides ownTables: Set<String>) throws {
    for object in try db.connection.schema().objects {
      guard !ownTables.contains(object.tableName.asciiLowercased), !object.isShadow else { continue }
      switch object.kind {
      case .table: tables.append(Table(name: object.name, rows: try db.rowCount(of: object)))
      case .view, .trigger: otherObjects += 1
      case .index: break
      }
    }
  }

  /// Whether nothing would be lost.
  package var isEmpty: Bool { tables.isEmpty && otherObjects == 0 }

  /// Whether any table has rows, or rows that cannot be counted.
  package var hasRows: Bool { tables.contains { $0.rows != 0 } }

  /// The number of rows in all tables.
  package var rowCount: Int { tables.reduce(0) { $0 + ($1.rows ?? 0) } }

  /// A summary, such as "2 tables with 5 rows".
  package var summary: String {
    let isComplete = tables.allSatisfy { $0.rows != nil }
    return "\(counted(tables.count, "table")) with \(isComplete ? "" : "at least ")\(counted(rowCount, "row"))"
  }
}

extension Database {
  /// Returns the number of rows in a table; nil if this connection cannot read them, because the module of a virtual
  /// table, or a collation or function that only an app registers, is missing.
  package func rowCount(of table: SchemaObject) throws -> Int? {
    // SQLite counts in the smallest index, whose collation may be one that only an app registers.
    for hint in ["", " NOT INDEXED"] {
      do {
        return try Int.fetchOne(self, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)\(hint)")
      } catch let error as DatabaseError
        where error.condition == .statement || table.isVirtual && !error.concernsEverything
      {}
    }
    return nil
  }
}
