public import Foundation
public import Migrator

/// A table or view as the records of an app expect it, for ``UpgradeTest/requireTables(_:)``.
///
/// ```swift
/// ExpectedTable("player", [
///   ExpectedColumn("id", .integer), ExpectedColumn("name", .text), ExpectedColumn("team", .text, isOptional: true),
/// ])
/// ```
public struct ExpectedTable: Sendable, Hashable {
  /// The name of the table or view.
  public var name: String
  /// The columns that the app reads and writes, in any order.
  public var columns: [ExpectedColumn]

  /// Describes a table or view.
  public init(_ name: String, _ columns: [ExpectedColumn]) { (self.name, self.columns) = (name, columns) }
}

/// A column as the records of an app expect it.
public struct ExpectedColumn: Sendable, Hashable {
  /// The name of the column.
  public var name: String
  /// The type; another type with the same affinity counts as equal, since the engine converts values in the same way.
  public var type: ColumnType
  /// Whether the app's property is an optional, so that it can read and write NULL.
  public var isOptional: Bool

  /// Describes a column.
  public init(_ name: String, _ type: ColumnType, isOptional: Bool = false) {
    (self.name, self.type, self.isOptional) = (name, type, isOptional)
  }
}

extension UpgradeTest {
  /// Requires that the migrations create the tables and columns that the app's records expect.
  ///
  /// Names are compared without ASCII case. Several records may describe the same table. A column that none of them knows is
  /// a problem only if an insertion without it fails. An optional may describe a rowid, which SQLite assigns. Of a view, only the names of the columns are compared: it stores nothing.
  ///
  /// - Throws: ``SchemaMismatch`` with all differences; ``MigrationError``.
  public func requireTables(_ tables: [ExpectedTable]) throws {
    let database = try database(at: migrator.migrations.last)
    defer { database.close() }
    let schema = try database.queue.read { db in try db.schema() }
    let own = schema.tables.filter {
      $0.name != migrator.ledgerTable && $0.shadowOf == nil && !$0.name.hasPrefix("sqlite_")
    }
    let known = Dictionary(grouping: tables) { $0.name.lowercased() }.mapValues { tables in
      Set(tables.flatMap(\.columns).map { $0.name.lowercased() })
    }
    var reasons: [String] = []
    for table in tables {
      let found = table.differences(from: schema, own.map(\.name), known: known[table.name.lowercased()] ?? [])
      reasons += found.filter { !reasons.contains($0) }
    }
    guard reasons.isEmpty else { throw SchemaMismatch(reasons: reasons) }
  }
}

/// The error that describes how the schema differs from what the records of an app expect.
public struct SchemaMismatch: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The differences, each as a sentence without a period; never empty.
  public let reasons: [String]

  /// All differences, each on a separate line.
  public var description: String {
    "the migrations and the records of the app do not agree:" + reasons.map { "\n- \($0)" }.joined()
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension ExpectedTable {
  /// Returns the differences, each as a sentence.
  ///
  /// - Parameters:
  ///   - names: The names of all tables.
  ///   - known: The columns in lowercase that a record of this table knows.
  fileprivate func differences(
    from schema: SchemaSnapshot, _ names: [String], known: Set<String>
  ) -> [String] {
    if let view = schema.view(name) {
      // Without a list of columns, the view cannot be read.
      guard let names = view.columns?.map(\.name) else { return ["view \"\(name)\" cannot be read"] }
      return columns.compactMap { missing($0, in: "view", names) }
    }
    guard let table = schema.table(name) else {
      return ["there is no table \"\(name)\"" + Self.alternatives(names)]
    }
    let found = table.columns.filter { !$0.isHidden || $0.isGenerated }
    var reasons = columns.compactMap { expected -> String? in
      guard let column = found.first(where: { $0.name.lowercased() == expected.name.lowercased() }) else {
        return missing(expected, in: "table", found.map(\.name))
      }
      let place = "column \"\(column.name)\" of table \"\(table.name)\""
      return expected.difference(from: column, in: table).map { "\(place) \($0)" }
    }
    for column in found where column.isRequired(in: table) && !known.contains(column.name.lowercased()) {
      reasons.append(
        "column \"\(column.name)\" of table \"\(table.name)\" is NOT NULL without a default, but no record sets it: "
          + "insertions fail")
    }
    return reasons
  }

  private func missing(_ column: ExpectedColumn, in kind: String, _ names: [String]) -> String? {
    guard !names.contains(where: { $0.lowercased() == column.name.lowercased() }) else { return nil }
    return "\(kind) \"\(name)\" has no column \"\(column.name)\"" + Self.alternatives(names)
  }

  private static func alternatives(_ names: [String]) -> String {
    let listed = names.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ")
    return names.isEmpty ? "; there is none" : "; there are \(listed)" + (names.count > 20 ? " and others" : "")
  }
}

extension ExpectedColumn {
  /// Returns the difference from a column, as the rest of a sentence about it; nil if there is none.
  fileprivate func difference(from column: ColumnDescription, in table: TableDescription) -> String? {
    let isSameType =
      column.declaredType.lowercased() == type.rawValue.lowercased()
      || ColumnAffinity(declaredType: type.rawValue) == column.affinity
    guard isSameType else {
      let declared = column.declaredType.isEmpty ? "has no type" : "is \(column.declaredType)"
      return "\(declared), but the app expects \(type.rawValue)"
    }
    // A NULL for a rowid makes SQLite choose one (https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key).
    if isOptional, !column.acceptsNull(in: table), !column.isRowID(in: table) {
      return "is never NULL, but the app's property is optional: saving nil fails"
    }
    if !isOptional, column.acceptsNull(in: table), !column.isGenerated {
      return "may be NULL, but the app's property is not optional: reading NULL fails"
    }
    return nil
  }
}

extension ColumnDescription {
  /// Whether the column can store NULL: a rowid, and the key of a table without rowids, cannot
  /// (https://www.sqlite.org/lang_createtable.html#the_primary_key).
  fileprivate func acceptsNull(in table: TableDescription) -> Bool {
    !isNotNull && !isRowID(in: table) && !(primaryKeyIndex > 0 && table.isWithoutRowID)
  }

  /// Whether an insertion must give the column a value.
  fileprivate func isRequired(in table: TableDescription) -> Bool {
    !acceptsNull(in: table) && defaultValueSQL == nil && !isGenerated && !isRowID(in: table)
  }

  fileprivate func isRowID(in table: TableDescription) -> Bool {
    primaryKeyIndex > 0 && table.primaryKey?.isRowID ?? false
  }
}
