internal import Migrator
internal import SQLSyntax

/// Rows that names can refer to: a table, a view, or what a query gives.
struct NamedRows {
  /// What the rows are called, in ASCII lower case.
  var name: String
  /// The names of the columns, in ASCII lower case; nil when they are not known.
  var columns: Set<String>?
  /// The table or view; nil for other rows.
  var table: String?
}

/// A use of a column, with what it can refer to.
struct ScopedReference {
  /// The use.
  let reference: SQLColumnReference
  /// The rows at hand, the nearest first.
  let scopes: [[NamedRows]]
  /// The names that the query gives its results, in ASCII lower case.
  let aliases: Set<String>
  /// Whether the value is what an `INSERT` puts into an ordinary column.
  let isInserted: Bool

  /// Whether nothing has the name for certain.
  var isUnknown: Bool {
    let name = reference.column.folded
    guard !aliases.contains(name), !SQLIdentifier.rowIDNames.contains(name) else { return false }
    return scopes.allSatisfy { $0.allSatisfy { rows in rows.columns.map { !$0.contains(name) } ?? false } }
  }

  /// The table whose row the use refers to, when no column has the name; nil when that is not certain.
  var rowTable: String? {
    if let qualifier = reference.table?.folded {
      for scope in scopes {
        if let rows = scope.first(where: { $0.name == qualifier }) { return lacksColumn(rows) ? rows.table : nil }
      }
      return nil
    }
    guard let nearest = scopes.first(where: { !$0.isEmpty }), nearest.count == 1, lacksColumn(nearest[0]) else {
      return nil
    }
    return nearest[0].table
  }

  private func lacksColumn(_ rows: NamedRows) -> Bool {
    rows.columns.map { !$0.contains(reference.column.folded) } ?? false
  }
}

/// Finds the uses of columns in a statement, each with the rows that it can refer to.
struct NameWalk {
  private typealias Scopes = [[NamedRows]]
  private typealias CommonTables = [String: Set<String>?]

  private let db: Database
  private var found: [ScopedReference] = []

  /// The uses of columns in a statement.
  static func references(in linted: LintedStatement, db: Database) throws -> [ScopedReference] {
    guard let syntax = linted.syntax else { return [] }
    var walk = NameWalk(db: db)
    try walk.visit(syntax)
    return walk.found
  }

  private init(db: Database) { self.db = db }

  private mutating func visit(_ syntax: SQLTree) throws {
    switch syntax.statement {
    case .createTable(let table): try visit(table)
    case .createIndex(let index):
      let scopes = [[try rows(of: index.table.value, as: nil)]]
      try visit(index.columns.map(\.expression) + [index.condition].compactMap(\.self), scopes)
    case .createView(let view): try visit(view.select, [], [:])
    case .createTrigger(let trigger):
      let scopes = [try ["new", "old"].map { try rows(of: trigger.table.name.value, as: $0) }]
      try visit([trigger.condition].compactMap(\.self), scopes)
      for statement in trigger.body { try visit(statement, scopes) }
    case .alterTable(let alteration):
      guard case .addColumn(let column) = alteration.action else { return }
      var table = try rows(of: alteration.table.name.value, as: nil)
      table.columns?.insert(column.name.folded)
      try visit(column, [[table]])
    case .data(let statement): try visit(statement, [])
    case .createVirtualTable, .drop, .other: break
    }
  }

  private mutating func visit(_ table: SQLCreateTable) throws {
    if let select = table.select { try visit(select, [], [:]) }
    let names = Set(table.columns.map(\.name.folded))
    let scopes = [[NamedRows(name: table.name.name.folded, columns: names, table: nil)]]
    for column in table.columns { try visit(column, scopes) }
    for constraint in table.constraints {
      if case .check(let expression, _) = constraint.kind { try visit([expression], scopes) }
    }
  }

  private mutating func visit(_ column: SQLColumnSyntax, _ scopes: Scopes) throws {
    for constraint in column.constraints {
      switch constraint.kind {
      case .check(let expression, _), .generated(let expression, _): try visit([expression], scopes)
      default: break
      }
    }
  }

  private mutating func visit(_ statement: SQLDataStatement, _ outer: Scopes) throws {
    switch statement {
    case .select(let select): try visit(select, outer, [:])
    case .insert(let insert): try visit(insert, outer)
    case .update(let update):
      let common = try visit(update.commonTables, outer, [:])
      let target = try rows(of: update.table.name.value, as: update.alias?.folded)
      let scopes = [[target] + (try rows(of: update.sources, outer, common))] + outer
      try visit(update.assignments.map(\.value) + update.expressions, scopes, common)
      try visit(conditions(update.sources), scopes, common)
      try visit(results: update.returning, scopes, common)
    case .delete(let delete):
      let common = try visit(delete.commonTables, outer, [:])
      let scopes = [[try rows(of: delete.table.name.value, as: delete.alias?.folded)]] + outer
      try visit(delete.expressions, scopes, common)
      try visit(results: delete.returning, scopes, common)
    }
  }

  private mutating func visit(_ insert: SQLInsert, _ outer: Scopes) throws {
    let common = try visit(insert.commonTables, outer, [:])
    let keepsNumbers = insert.columns.contains { SQLIdentifier.rowIDNames.contains($0.folded) || $0.folded == "docid" }
    if let select = insert.select { try visit(select, outer, common, isInserted: !keepsNumbers) }
    let table = try rows(of: insert.table.name.value, as: insert.alias?.folded)
    let excluded = NamedRows(name: "excluded", columns: table.columns, table: nil)
    for upsert in insert.upserts {
      try visit(upsert.target.map(\.expression) + [upsert.targetCondition].compactMap(\.self), [[table]])
      let values = upsert.assignments.map(\.value) + [upsert.condition].compactMap(\.self)
      try visit(values, [[table, excluded]] + outer, common)
    }
    try visit(results: insert.returning, [[table]] + outer, common)
  }

  /// - Returns: The columns that the query gives; nil when they are not known.
  @discardableResult
  private mutating func visit(
    _ select: SQLSelect, _ outer: Scopes, _ outerCommon: CommonTables, isInserted: Bool = false
  ) throws -> Set<String>? {
    let common = try visit(select.commonTables, outer, outerCommon)
    var columns: Set<String>?
    var last: (scopes: Scopes, aliases: Set<String>) = (outer, [])
    for (number, core) in select.cores.enumerated() {
      let scopes = [try rows(of: core.sources, outer, common)] + outer
      let aliases = Set(core.results.compactMap(\.alias))
      try visit(results: core.results, scopes, common, aliases: [], isInserted: isInserted)
      try visit(core.expressions + conditions(core.sources), scopes, common, aliases: aliases)
      if number == 0 { columns = Self.names(of: core, scopes[0]) }
      last = (scopes, aliases)
    }
    try visit(select.orderBy, last.scopes, common, aliases: last.aliases)
    return columns
  }

  private mutating func visit(
    _ tables: [SQLCommonTable], _ outer: Scopes, _ outerCommon: CommonTables
  ) throws -> CommonTables {
    var common = outerCommon
    for table in tables {
      // A table may refer to itself; its columns are known by their list only.
      common[table.name.folded] = .some(table.columns.isEmpty ? nil : Set(table.columns.map(\.folded)))
      let columns = try visit(table.select, outer, common)
      if table.columns.isEmpty { common[table.name.folded] = .some(columns) }
    }
    return common
  }

  private mutating func rows(
    of sources: [SQLTableSource], _ outer: Scopes, _ common: CommonTables
  ) throws -> [NamedRows] {
    var all: [NamedRows] = []
    for source in sources {
      switch source.kind {
      case .table(let name):
        if let columns = common[name.name.folded], name.schema == nil {
          all.append(NamedRows(name: source.alias?.folded ?? name.name.folded, columns: columns, table: nil))
        } else {
          all.append(try rows(of: name.name.value, as: source.alias?.folded))
        }
      case .function(let name, let arguments):
        try visit(arguments, [all] + outer, common)
        all.append(NamedRows(name: source.alias?.folded ?? name.name.folded, columns: nil, table: nil))
      case .subquery(let select):
        let columns = try visit(select, outer, common)
        all.append(NamedRows(name: source.alias?.folded ?? "", columns: columns, table: nil))
      case .join(let sources): all += try rows(of: sources, outer, common)
      }
    }
    return all
  }

  private func rows(of table: String, as alias: String?) throws -> NamedRows {
    let isThere = try db.tableExists(table) || db.viewExists(table)
    let object = try db.connection.schema().object(.table, named: table)
    // A virtual table has columns that it does not list.
    let isKnown = isThere && object?.isVirtual != true
    // A view that cannot be compiled has no columns; that is another rule's matter.
    let columns = isKnown ? (try? db.columns(in: table)).map { Set($0.map(\.name.asciiLowercased)) } : nil
    return NamedRows(name: alias ?? table.asciiLowercased, columns: columns, table: object == nil ? nil : table)
  }

  private func conditions(_ sources: [SQLTableSource]) -> [SQLExpression] {
    sources.flatMap { source -> [SQLExpression] in
      let own = [source.condition].compactMap(\.self)
      if case .join(let inner) = source.kind { return own + conditions(inner) }
      return own
    }
  }

  private mutating func visit(
    results: [SQLResultColumn], _ scopes: Scopes, _ common: CommonTables, aliases: Set<String> = [],
    isInserted: Bool = false
  ) throws {
    for case .expression(let expression, _) in results {
      try visit([expression], scopes, common, aliases: aliases, isInserted: isInserted)
    }
  }

  private mutating func visit(
    _ expressions: [SQLExpression], _ scopes: Scopes, _ common: CommonTables = [:], aliases: Set<String> = [],
    isInserted: Bool = false
  ) throws {
    for expression in expressions {
      found += expression.references.map {
        ScopedReference(reference: $0, scopes: scopes, aliases: aliases, isInserted: isInserted)
      }
      for subquery in expression.subqueries { try visit(subquery, scopes, common) }
    }
  }

  private static func names(of core: SQLSelect.Core, _ sources: [NamedRows]) -> Set<String>? {
    var names: Set<String> = []
    for result in core.results {
      switch result {
      case .expression(let expression, let alias):
        guard let name = alias?.folded ?? expression.soleReference?.column.folded else { return nil }
        names.insert(name)
      case .all, .allOf:
        for rows in sources {
          guard let columns = rows.columns else { return nil }
          names.formUnion(columns)
        }
      }
    }
    return core.isValues ? nil : names
  }
}

extension SQLResultColumn {
  /// The name that a result is given, in ASCII lower case; nil for none.
  fileprivate var alias: String? {
    if case .expression(_, let alias) = self { alias?.folded } else { nil }
  }
}
