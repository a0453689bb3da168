internal import Migrator
internal import SQLSyntax

/// The earlier or the later schema of a path.
struct SchemaSide {
  struct Table {
    let object: SchemaObject
    let syntax: SQLTree
    let definition: SQLCreateTable
    let description: TableDescription
    /// The indexes, including those of constraints.
    let indexes: [IndexDescription]

    var name: String { object.name }
    var folded: String { object.name.asciiLowercased }

    /// The columns into which values can be inserted: those that are not generated.
    var givenColumns: [ColumnDescription] { description.columns.filter { !$0.isGenerated } }

    /// Returns the definition with another name of the table, and without some of its columns, of which one must remain.
    func sql(named name: String, without isRemoved: (SQLColumnSyntax) -> Bool = { _ in false }) -> String {
      let ranges = definition.columns.map { syntax.source.utf8Range(of: $0.tokens) }
      var cuts: [Range<Int>] = []
      var hasRemaining = false
      for (index, column) in definition.columns.enumerated() {
        if !isRemoved(column) {
          hasRemaining = true
        } else if hasRemaining {
          cuts.append(ranges[index - 1].upperBound..<ranges[index].upperBound)
        } else if index + 1 < ranges.count {
          cuts.append(ranges[index].lowerBound..<ranges[index + 1].lowerBound)
        }
      }
      let name = (syntax.source.tokens[definition.name.name.token].range, name.quotedIdentifier)
      return syntax.source.replacing([name] + cuts.map { ($0, "") })
    }

    /// All tokens of the definition after the table's own name, in lower case.
    var mentions: Set<String> { Set(syntax.source.tokens[(definition.name.name.token + 1)...].map(\.folded)) }

    /// The column that is an alias of the rowid; nil when there is none.
    var rowIDColumn: String? {
      guard let key = description.primaryKey, key.isRowID else { return nil }
      return key.columns.first?.asciiLowercased
    }

    /// The keys that distinguish all rows without NULL, whether a constraint or an index declares them.
    var uniqueKeys: [UniqueKey] {
      let indexed = indexes.filter { $0.isUnique && !$0.isPartial && $0.columns.allSatisfy { $0.name != nil } }
        .map { index in UniqueKey(index.columns.map { ($0.name ?? "", $0.collation) }, of: description) }
      return indexed + [rowIDColumn].compactMap(\.self).map { UniqueKey([($0, nil)], of: description) }
    }

    /// A name that refers to the rowid; nil if a column is an alias of the rowid, or if there is no such name.
    var hiddenRowIDName: String? {
      guard !description.isWithoutRowID, rowIDColumn == nil else { return nil }
      return SQLIdentifier.rowIDName(besides: Set(description.columns.map(\.name.asciiLowercased)))
    }

    /// Returns whether a column rejects NULL: it is NOT NULL, or part of a primary key that rejects NULL
    /// (https://www.sqlite.org/withoutrowid.html, https://www.sqlite.org/stricttables.html).
    func refusesNull(_ column: ColumnDescription) -> Bool {
      column.isNotNull || (description.isWithoutRowID || description.isStrict) && column.primaryKeyIndex > 0
    }

    /// Returns whether rows can have NULL in a column: it does not reject NULL, and is not the rowid.
    func mayHoldNull(_ column: ColumnDescription) -> Bool {
      !refusesNull(column) && rowIDColumn != column.name.asciiLowercased
    }
  }

  let snapshot: SchemaSnapshot
  /// The tables and views to which each view or trigger refers; only for definitions that can be parsed.
  var namedTables: [SchemaObject: [String]] = [:]
  private(set) var tables: [Table] = []
  /// The index in ``tables`` of each table, by its name in lower case.
  private var places: [String: Int] = [:]
  /// The virtual tables, and the tables whose definitions cannot be parsed.
  var others: [SchemaObject] = []
  /// The indexes that have SQL; an index that belongs to a constraint has none.
  var indexes: [SchemaObject] = []
  var views: [SchemaObject] = []
  var triggers: [SchemaObject] = []

  init(_ snapshot: SchemaSnapshot) {
    self.snapshot = snapshot
    let descriptions = snapshot.tablesByName
    let indexesByTable = Dictionary(grouping: snapshot.indexes, by: \.table.asciiLowercased)
    for object in snapshot.objects where !object.isShadow {
      guard let sql = object.sql else { continue }
      switch object.kind {
      case .index: indexes.append(object)
      case .view:
        views.append(object)
        namedTables[object] = snapshot.view(object.name).flatMap { $0.sql.isEmpty ? nil : $0.tables }
      case .trigger:
        triggers.append(object)
        namedTables[object] = snapshot.trigger(object.name)?.tables
      case .table:
        let name = object.name.asciiLowercased
        if !object.isVirtual, let syntax = try? SQLTree(parsing: sql), let description = descriptions[name],
          case .createTable(let definition) = syntax.statement, definition.select == nil
        {
          places[name] = tables.count
          tables.append(
            Table(
              object: object, syntax: syntax, definition: definition, description: description,
              indexes: indexesByTable[name] ?? []))
        } else {
          others.append(object)
        }
      }
    }
  }

  /// All tokens of the definitions, in lower case.
  var mentions: Set<String> {
    let objects = tables.map(\.object) + others + indexes + views + triggers
    return objects.reduce(into: []) { $0.formUnion($1.mentions) }
  }

  func table(_ folded: String) -> Table? { places[folded].map { tables[$0] } }

  /// Returns the definition of a table in the form in which schemas are compared, with another name, and without some of
  /// its columns.
  func canonicalDefinition(
    of table: Table, named name: String, without isRemoved: (SQLColumnSyntax) -> Bool = { _ in false }
  ) -> String { snapshot.canonicalDefinition(table.sql(named: name, without: isRemoved)) }
}
