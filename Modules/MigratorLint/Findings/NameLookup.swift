internal import Migrator
internal import SQLSyntax

/// A resolver of the names in a statement that is about to run, based on the tables and views of the database.
struct NameLookup {
  let names: SQLNames

  private var columns: SQLColumnResolver
  private let tables: Set<String>

  init(_ syntax: SQLTree, db: Database) throws {
    names = SQLNames(in: syntax)
    var relations = SQLRelations()
    var tables: Set<String> = []
    for use in names.uses where use.isOfStoredRows || use.role == .owner {
      let name = use.name.value
      let object = try db.relation(named: name)
      if object?.kind == .table { tables.insert(use.name.folded) }
      // A virtual table may have columns that it does not list. A view that does not compile has no columns; another
      // rule reports that view.
      let columns = try DatabaseError.ifPossible {
        object?.isVirtual == false ? try db.connection.columns(in: name) : nil
      }
      relations.named[use.name.folded] = .table(columns??.map(\.name.asciiLowercased))
    }
    if case .alterTable(let alteration) = syntax.statement, case .addColumn(let column) = alteration.action,
      case .table(let columns?)? = relations.named[alteration.table.name.folded]
    {
      relations.named[alteration.table.name.folded] = .table(columns + [column.name.folded])
    }
    self.tables = tables
    columns = SQLColumnResolver(names, relations: relations)
  }

  /// The references to columns in expressions, except in PRIMARY KEY and UNIQUE constraints.
  var references: [SQLNameUse] {
    names.uses.filter { use in
      switch use.place {
      case .constraint(.primaryKey, _), .constraint(.unique, _): false
      default: use.role == .column
      }
    }
  }

  /// Returns whether an unqualified name certainly does not refer to anything.
  mutating func isUnknown(_ use: SQLNameUse) throws -> Bool {
    let name = use.name.folded
    if SQLIdentifier.rowIDNames.contains(name) { return false }
    for (distance, (scope, seesResults)) in names.chain(from: use.scope).enumerated() {
      // Aliases of result columns are visible everywhere except in the result columns themselves.
      if seesResults || distance == 0 && use.place != .result, scope.aliases.contains(name) { return false }
      for rows in scope.rows where try columns(of: rows).map({ $0.contains(name) }) ?? true { return false }
    }
    return true
  }

  /// Returns the names in double quotes that SQLite reads as string literals, because nothing has such a name.
  mutating func quotedStrings() throws -> [SQLNameUse] {
    try references.filter { use in
      guard use.qualifier == nil, let token = names.source.token(use.name.token), token.kind == .quotedIdentifier,
        token.text.hasPrefix("\"")
      else { return false }
      return try isUnknown(use)
    }
  }

  /// Returns these names in the definition of a view or trigger, as they are written.
  static func quotedStrings(in object: SchemaObject, _ db: Database) throws -> Set<String> {
    guard let sql = object.sql, sql.contains("\""), let syntax = try? SQLTree(parsing: sql) else { return [] }
    var lookup = try NameLookup(syntax, db: db)
    return Set(try lookup.quotedStrings().compactMap { lookup.names.source.token($0.name.token)?.text })
  }

  /// Returns the table to whose row a name such as `rowid` refers; nil if a column has that name, or if uncertain.
  mutating func rowTable(of use: SQLNameUse) throws -> String? {
    let chain = names.chain(from: use.scope).map(\.scope.rows)
    let rows: SQLRows?
    if let qualifier = use.qualifier?.folded {
      rows = chain.lazy.compactMap { $0.first { $0.name == qualifier } }.first
    } else {
      let nearest = chain.first { !$0.isEmpty } ?? []
      rows = nearest.count == 1 ? nearest[0] : nil
    }
    guard let rows, case .stored(let name) = rows.kind, tables.contains(name.name.folded),
      let columns = try columns(of: rows), !columns.contains(use.name.folded)
    else { return nil }
    return name.name.value
  }

  /// Returns whether a name is a value that an `INSERT` stores in a column other than the rowid.
  func isInserted(_ use: SQLNameUse) -> Bool {
    guard use.place == .result, let query = use.scope.flatMap({ names.scopes[$0.scope].query }),
      case .insertion(let insertion) = names.queries[query].purpose
    else { return false }
    return !names.inserts[insertion].columns.contains {
      SQLIdentifier.rowIDNames.contains($0.folded) || $0.folded == "docid"
    }
  }

  /// Returns the columns of the rows of a table or query, in lower case; nil if they are unknown.
  mutating func columns(of rows: SQLRows) throws -> [String]? { try columns.columns(of: rows)?.map(\.name) }
}
