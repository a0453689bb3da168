internal import Migrator
internal import SQLSyntax

/// The tables of a schema, sorted by name, and the references between them.
struct Diagram: Sendable {
  struct Table: Sendable {
    var name: String
    var columns: [Column]
    var module: String?
  }

  struct Column: Sendable {
    var name: String
    var type: String
    var isPrimaryKey: Bool
    var isForeignKey: Bool
    var isUnique: Bool
    var isNullable: Bool

    var marks: [String] {
      [isPrimaryKey ? "PK" : nil, isForeignKey ? "FK" : nil, isUnique && !isPrimaryKey ? "UK" : nil]
        .compactMap(\.self)
    }
  }

  struct Reference: Sendable {
    /// The child table's index in ``Diagram/tables``.
    var child: Int
    var parent: Int
    var columns: [String]
    var parentColumns: [String]
    /// Whether a column of the foreign key may be NULL.
    var isOptional: Bool
    /// Whether at most one child row can refer to each parent row.
    var isUnique: Bool
  }

  private(set) var tables: [Table] = []
  /// The foreign keys whose parent table exists.
  private(set) var references: [Reference] = []

  static func isDiagram(_ text: String) -> Bool {
    // Graphviz uses the graph's name as the title of the image.
    text.hasPrefix("erDiagram\n") || text.hasPrefix("digraph schema {\n")
      || text.hasPrefix("<?xml") && text.contains("<title>schema</title>")
  }

  init(_ schema: SchemaSnapshot) {
    let shown = schema.tables.filter { $0.shadowOf == nil }.sorted {
      ($0.name.asciiLowercased, $0.name) < ($1.name.asciiLowercased, $1.name)
    }
    let places = Dictionary(shown.enumerated().map { ($1.name.asciiLowercased, $0) }) { first, _ in first }
    let indexes = Dictionary(
      grouping: schema.indexes.filter { $0.isUnique && !$0.isPartial }, by: \.table.asciiLowercased)
    for (place, table) in shown.enumerated() {
      // The sets of columns that are unique.
      let unique = (indexes[table.name.asciiLowercased] ?? []).map { index in
        index.columns.map { $0.name ?? "" }
      }
      let keys = Set((unique + [table.primaryKey?.columns].compactMap(\.self)).map(Self.folded))
      let foreign = Self.folded(table.foreignKeys.flatMap(\.originColumns))
      let columns = table.columns.filter { !$0.isHidden }.map { column in
        Column(
          name: column.name, type: column.declaredType, isPrimaryKey: column.primaryKeyIndex > 0,
          isForeignKey: foreign.contains(column.name.asciiLowercased),
          isUnique: keys.contains(Self.folded([column.name])), isNullable: Self.isNullable(column))
      }
      tables.append(Table(name: table.name, columns: columns, module: table.module))
      for key in table.foreignKeys {
        guard let parent = places[key.destinationTable.asciiLowercased] else { continue }
        references.append(
          Reference(
            child: place, parent: parent, columns: key.originColumns,
            parentColumns: key.destinationColumns.isEmpty
              ? shown[parent].primaryKey?.columns ?? [] : key.destinationColumns,
            isOptional: key.originColumns.contains { table.column($0).map(Self.isNullable) ?? true },
            isUnique: keys.contains(Self.folded(key.originColumns))))
      }
    }
  }

  private static func folded(_ columns: [String]) -> Set<String> { Set(columns.map(\.asciiLowercased)) }

  /// Returns whether a column accepts NULL.
  ///
  /// Primary key columns count as NOT NULL, although SQLite has exceptions for compatibility
  /// (https://www.sqlite.org/lang_createtable.html#the_primary_key).
  private static func isNullable(_ column: ColumnDescription) -> Bool {
    !column.isNotNull && column.primaryKeyIndex == 0
  }
}
