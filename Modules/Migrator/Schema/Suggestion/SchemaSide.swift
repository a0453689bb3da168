/// One of the two schemas between which a way is looked for.
struct SchemaSide {
  /// An ordinary table.
  struct Table {
    let object: SchemaObject
    let syntax: SQLSyntax
    let definition: SQLCreateTable

    var name: String { object.name }
    var folded: String { object.name.asciiLowercased }

    /// The columns that hold values of their own, and those that are computed.
    func columns(generated: Bool) -> [SQLColumnSyntax] {
      definition.columns.filter { column in
        generated == column.constraints.contains { if case .generated = $0.kind { true } else { false } }
      }
    }

    /// The definition under another name.
    func sql(named name: String) -> String {
      syntax.source.replacing([definition.name.name.token], with: name.quotedIdentifier)
    }

    /// The definition's tokens in canonical spelling, the name left out.
    var canonicalBody: String {
      SQLNormalization.canonicalText(of: syntax.source.replacing([definition.name.name.token], with: "x"))
    }

    /// The words and names of the definition behind the table's own name, in lower case.
    var mentions: Set<String> {
      Set(syntax.source.tokens[(definition.name.name.token + 1)...].map(\.folded))
    }

    /// Whether ids of deleted rows are never used again; the word is reserved.
    var isAutoincrement: Bool { syntax.source.tokens.contains { $0.isWord("autoincrement") } }

    /// A name by which rows have an id that no column shows; nil for tables without one.
    var hiddenRowIDName: String? {
      guard !definition.isWithoutRowID, rowIDColumn == nil else { return nil }
      let names = Set(definition.columns.map(\.name.folded))
      return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    }
  }

  /// The ordinary tables whose definitions could be read.
  var tables: [Table] = []
  /// The virtual tables, and tables whose definitions could not be read.
  var others: [SchemaObject] = []
  /// The indexes that have a definition of their own.
  var indexes: [SchemaObject] = []
  /// The views.
  var views: [SchemaObject] = []
  /// The triggers.
  var triggers: [SchemaObject] = []

  init(_ snapshot: SchemaSnapshot, leavingOut omitted: Set<String>) {
    let counted = snapshot.countedObjects(leavingOut: omitted)
    for object in snapshot.objects {
      guard let sql = object.sql, counted[SchemaObject.Name(object)] != nil else { continue }
      switch object.kind {
      case .index: indexes.append(object)
      case .view: views.append(object)
      case .trigger: triggers.append(object)
      case .table:
        if !object.isVirtual, let syntax = try? SQLSyntax(parsing: sql),
          case .createTable(let definition) = syntax.statement, definition.select == nil
        {
          tables.append(Table(object: object, syntax: syntax, definition: definition))
        } else {
          others.append(object)
        }
      }
    }
  }

  /// All words and names in the definitions, in lower case.
  var mentions: Set<String> {
    let objects = tables.map(\.object) + others + indexes + views + triggers
    return objects.reduce(into: []) { $0.formUnion($1.mentions) }
  }

  /// The table of a name, given in lower case.
  func table(_ folded: String) -> Table? { tables.first { $0.folded == folded } }
}

extension SchemaObject {
  /// The words and names of the definition, in lower case.
  var mentions: Set<String> { Set(SQLSource(sql ?? "").tokens.map(\.folded)) }

  /// Whether two objects are defined alike.
  func saysTheSame(as other: SchemaObject) -> Bool {
    guard let sql, let otherSQL = other.sql else { return false }
    return sql == otherSQL || SQLNormalization.canonicalText(of: sql) == SQLNormalization.canonicalText(of: otherSQL)
  }
}
