internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// A rule that finds the properties that a table loses when it, or one of its columns, is recreated.
  static let lostProperty: LintRule = LintRule(
    name: "lost-property", summary: "a table that is recreated without a property that it had",
    details:
      "A recreated table has only what its new definition says: keys, checks, collations, defaults and actions that are missing there "
      + "are lost. The rule compares the table before and after each migration. "
      + "(https://www.sqlite.org/lang_altertable.html#otheralter)",
    afterMigration: { scene in
      var seen: Set<String> = []
      lazy var statements = scene.file.statements.indices.map { LintedStatement(scene.file, $0) }
      return try zip(scene.destruction.statements, scene.destroyers).compactMap { destruction, linted in
        switch destruction.effect {
        case .rebuildsTable, .dropsColumn: break
        default: return nil
        }
        let table = destruction.effect.table
        guard seen.insert(table.asciiLowercased).inserted,
          let definition = scene.before.object(.table, named: table)?.sql,
          let new = try scene.db.relation(named: table)?.sql.flatMap({ TableProperties($0) })
        else { return nil }
        let copied = CopiedColumns(of: table, to: new.columnNames, in: statements)
        guard let old = TableProperties(definition, renaming: copied.newNames) else { return nil }
        let lost =
          try old.lost(in: new, copied, scene.db, table)
          + scene.lostIndexProperties(of: table, renaming: copied.newNames)
        guard !lost.isEmpty else { return nil }
        // The values of a generated column are in no row that a copy reads, unless it names the column.
        let losesValues = lost.contains { $0.concernsValues && !copied.inserted.isSuperset(of: $0.columns) }
        return linted.finding(
          .lostProperty, harm: losesValues ? .values : .definition, of: table,
          "after the migration, table \"\(table)\" lacks what it had before: \(listed(lost.map(\.text), limit: 50))",
          remedy: (lost.allSatisfy(\.concernsValues)
            ? "Copy the values to an ordinary column. "
            : "Add \(lost.count == 1 ? "it" : "them") to the new definition. ")
            + "If the loss is intended, add a comment before the statement: -- migrator: allow lost-property REASON")
      }
    })
}

extension LintScene {
  /// Returns the properties that indexes of a table had before the migration, and that indexes of the same names lack now.
  ///
  /// An index that the migration drops by its name is left out.
  fileprivate func lostIndexProperties(
    of table: String, renaming names: [String: String]
  ) throws -> [TableProperties.Property] {
    let now = try db.connection.schema()
    return before.objects.flatMap { object -> [TableProperties.Property] in
      guard object.tableName.asciiLowercased == table.asciiLowercased,
        !droppedObjects.contains(object.name.asciiLowercased), let old = IndexProperties(object, renaming: names),
        let new = now.object(.index, named: object.name).flatMap({ IndexProperties($0, renaming: [:]) })
      else { return [] }
      var lost = old.properties.subtracting(new.properties).sorted()
      // An index of more columns, or of fewer rows, allows more.
      let isWider = !Set(old.terms.map(\.key)).isSuperset(of: new.terms.map(\.key)) || new.isPartial && !old.isPartial
      if isWider, old.properties.intersection(new.properties).contains("UNIQUE") {
        lost.append("UNIQUE (\(old.terms.map(\.text).joined(separator: ", ")))")
      }
      return lost.map { .init(key: "", text: "\($0) of index \"\(object.name)\"", columns: []) }
    }
  }
}

private struct IndexProperties {
  let properties: Set<String>
  let isPartial: Bool
  /// The columns and expressions, each with its canonical form.
  let terms: [(text: String, key: String)]

  init?(_ object: SchemaObject, renaming names: [String: String]) {
    guard object.kind == .index, let syntax = object.sql.flatMap({ try? SQLTree(parsing: $0, renaming: names) }),
      case .createIndex(let index) = syntax.statement
    else { return nil }
    let all = [
      "UNIQUE": index.isUnique, "DESC": index.columns.contains(where: \.isDescending),
      "COLLATE": index.columns.contains { $0.collation != nil },
    ]
    properties = Set(all.filter(\.value).keys)
    isPartial = index.condition != nil
    terms = index.columns.map { column in
      let text = syntax.source.text(of: column.expression.tokens)
      return (text, column.column?.folded ?? SQLNormalization.canonicalText(of: text))
    }
  }
}

/// The properties of a table, each with the columns that it concerns.
private struct TableProperties {
  struct Property {
    /// The key, which an equivalent property in another definition of the table has, too.
    let key: String
    let text: String
    /// The columns, in lower case.
    let columns: [String]
    /// Whether values are lost with the property, because they follow from it or take its place.
    var concernsValues = false
    /// Whether the property is that no two rows have the same values in the columns.
    var isUniqueness = false
  }

  private let table: SQLCreateTable
  private let source: SQLSource
  private var properties: [Property] = []
  private var checks: [Property] = []
  /// The defaults of columns, by the column's name in lower case.
  private var defaults: [String: String] = [:]

  /// Reads the properties of a definition.
  ///
  /// - Parameter names: The new names of columns, by their old names in lower case.
  init?(_ sql: String, renaming names: [String: String] = [:]) {
    guard let syntax = try? SQLTree(parsing: sql, renaming: names) else { return nil }
    guard case .createTable(let table) = syntax.statement, table.select == nil else { return nil }
    (self.table, source) = (table, syntax.source)
    for column in table.columns { for constraint in column.constraints { add(constraint, of: column) } }
    for constraint in table.constraints { add(constraint) }
    for key in table.foreignKeys { add(key) }
    for option in table.options { add("option \(option)", option, []) }
    if numberedKey != nil { add("numbers", "INTEGER as the type of the primary key, whose rows SQLite numbers", []) }
  }

  var columnNames: [String] { table.columns.map(\.name.folded) }

  /// The names of the generated columns.
  private var generated: Set<String> {
    Set(properties.filter { $0.key.hasPrefix("generated ") }.flatMap(\.columns))
  }

  /// The only column of the primary key, and the words of its type in lower case; nil if there is no such column, or no
  /// rowid.
  private var soleKey: (name: SQLName, type: [String])? {
    guard !table.isWithoutRowID, let names = properties.first(where: { $0.key == "primary key" })?.columns,
      names.count == 1, let column = table.columns.first(where: { $0.name.folded == names[0] })
    else { return nil }
    return (column.name, column.type.map { source.tokens[$0].folded })
  }

  /// The column that is another name of the rowid (https://www.sqlite.org/lang_createtable.html#rowid); nil if there is none.
  private var numberedKey: SQLName? { soleKey?.type == ["integer"] ? soleKey?.name : nil }

  /// Returns the properties that another definition does not have, although it has their columns.
  func lost(in new: TableProperties, _ copied: CopiedColumns, _ db: Database, _ name: String) throws -> [Property] {
    var keys = Set(new.properties.map(\.key))
    let primaryKey = try db.primaryKey(of: name)
    // A unique index, or the primary key, does what a UNIQUE constraint does.
    let unique = try db.connection.indexes(on: name).filter { $0.isUnique && !$0.isPartial }
      .map { $0.columns.compactMap { $0.name?.asciiLowercased } }
    let uniqueSets = (unique + [primaryKey]).filter { !$0.isEmpty }.map(Set.init)
    // Elsewhere, the columns of a primary key may be NULL.
    if new.numberedKey != nil { keys.insert("option WITHOUT ROWID") }
    if new.table.isWithoutRowID || new.numberedKey != nil { keys.formUnion(primaryKey.map { "not null \($0)" }) }
    // Any other integer type, such as INT, makes a key that SQLite does not number: a row without a value gets NULL.
    let isInteger = new.soleKey?.type.first.map { $0.contains("int") || $0.contains("num") } ?? true
    if !isInteger || new.soleKey?.name.folded != soleKey?.name.folded { keys.insert("numbers") }
    var lost = properties.filter { property in
      property.isUniqueness
        ? !uniqueSets.contains { $0.isSubset(of: property.columns) } : !keys.contains(property.key)
    }
    let missing = checks.filter { check in !new.checks.contains { $0.key == check.key } }
    lost += missing.prefix(max(0, checks.count - new.checks.count))
    for column in table.columns {
      let (name, quoted) = (column.name.folded, "\"\(column.name.value)\"")
      if let old = defaults[name], let text = new.defaults[name], Self.isText(text, of: old) {
        lost.append(
          Property(key: "", text: "the value of the DEFAULT of \(quoted), which is a text now", columns: [name]))
      }
      if !generated.contains(name), new.generated.contains(name), !copied.isKept(name) {
        let text = "the stored values of \(quoted), which is generated now"
        lost.append(Property(key: "", text: text, columns: [name], concernsValues: true))
      }
    }
    return lost.filter { Set(new.columnNames).isSuperset(of: $0.columns) }
  }

  /// Whether a default is a string that contains another one, an expression or keyword, such as `'CURRENT_DATE'`: what a
  /// program makes of it that reads the default from the schema and quotes it.
  private static func isText(_ text: String, of other: String) -> Bool {
    // Another word is a text without quotes.
    let keywords = ["current_date", "current_time", "current_timestamp", "true", "false", "null"]
    return text.hasPrefix("'") && (other.hasPrefix("(") || keywords.contains(other.asciiLowercased))
      && SQLIdentifier.unquoted(text).expression == other.expression
  }

  private mutating func add(_ key: String, _ text: String, _ columns: [String], concernsValues: Bool = false) {
    properties.append(Property(key: key, text: text, columns: columns, concernsValues: concernsValues))
  }

  private mutating func addUniqueness(_ text: String, of columns: [String]) {
    properties.append(Property(key: "", text: text, columns: columns, isUniqueness: true))
  }

  private mutating func add(_ constraint: SQLColumnConstraint, of column: SQLColumnSyntax) {
    let (name, quoted) = (column.name.folded, "\"\(column.name.value)\"")
    switch constraint.kind {
    case .primaryKey(_, let conflict, _):
      add("primary key", "the primary key \(quoted)", [name])
      add(conflict, of: [column.name])
    case .notNull(let conflict):
      add("not null \(name)", "NOT NULL of \(quoted)", [name])
      add(conflict, of: [column.name])
    case .unique(let conflict):
      addUniqueness("UNIQUE of \(quoted)", of: [name])
      add(conflict, of: [column.name])
    case .check: addCheck(constraint.tokens)
    case .defaultValue(let value):
      // NULL is what a column has without a default.
      if source.text(of: value.tokens).expression != "null" {
        add("default \(name)", "DEFAULT of \(quoted)", [name])
      }
      defaults[name] = source.text(of: value.tokens)
    case .collate(let collation):
      // BINARY is what a column has without a collation.
      if collation.folded != "binary" { add("collate \(name)", "COLLATE \(collation.value) of \(quoted)", [name]) }
    case .generated:
      add("generated \(name)", "the expression of the generated column \(quoted)", [name], concernsValues: true)
    case .null, .references, .deferral, .nothing: break
    }
  }

  private mutating func add(_ constraint: SQLTableConstraint) {
    switch constraint.kind {
    case .primaryKey(let columns, _, let conflict):
      let names = columns.compactMap(\.column)
      add("primary key", "the primary key \(quoted(names))", names.map(\.folded))
      add(conflict, of: names)
    case .unique(let columns, let conflict):
      let names = columns.compactMap(\.column)
      addUniqueness("UNIQUE of \(quoted(names))", of: names.map(\.folded))
      add(conflict, of: names)
    case .check: addCheck(constraint.tokens)
    case .foreignKey, .nothing: break
    }
  }

  private mutating func add(_ conflict: SQLConflictResolution?, of columns: [SQLName]) {
    // ABORT is what a constraint does without a clause.
    guard let conflict, conflict != .abort else { return }
    add(
      "conflict \(columns.map(\.folded))", "ON CONFLICT \(conflict.rawValue) of \(quoted(columns))",
      columns.map(\.folded))
  }

  private mutating func addCheck(_ tokens: Range<Int>) {
    let text = source.text(of: tokens)
    let known = Set(table.columns.map(\.name.folded))
    let columns = tokens.compactMap { source.token($0)?.text }.map { SQLIdentifier.unquoted($0).asciiLowercased }
      .filter(known.contains)
    checks.append(Property(key: SQLNormalization.canonicalText(of: text), text: text.onOneLineOfSQL, columns: columns))
  }

  private mutating func add(_ key: SQLForeignKeySyntax) {
    let (names, columns) = (key.columns.map(\.folded), quoted(key.columns))
    add("references \(names)", "the foreign key on \(columns) to \"\(key.clause.table.value)\"", names)
    let words = key.clause.tokens.compactMap { source.token($0)?.folded }
    for (place, word) in words.enumerated().dropLast(2)
    where word == "on" && ["delete", "update"].contains(words[place + 1]) {
      var action = [words[place + 2]]
      if ["set", "no"].contains(action[0]), place + 3 < words.count { action.append(words[place + 3]) }
      let text = action.joined(separator: " ").uppercased()
      if text == "NO ACTION" { continue }
      add(
        "\(words[place + 1]) \(names)", "ON \(words[place + 1].uppercased()) \(text) of the foreign key on \(columns)",
        names)
    }
    if key.clause.isInitiallyDeferred == true {
      add("deferred \(names)", "INITIALLY DEFERRED of the foreign key on \(columns)", names)
    }
  }

  private func quoted(_ columns: [SQLName]) -> String { listed(columns.map { "\"\($0.value)\"" }) }
}

extension String {
  /// The text in lower case, without the parentheses around it.
  fileprivate var expression: String {
    let inner = hasPrefix("(") && hasSuffix(")") ? String(dropFirst().dropLast()) : self
    return SQLFragment.trimmed(inner).asciiLowercased
  }
}
