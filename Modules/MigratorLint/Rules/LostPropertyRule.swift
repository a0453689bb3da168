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
      return try zip(scene.destruction.statements, scene.destroyers).compactMap { destruction, linted in
        switch destruction.effect {
        case .rebuildsTable, .dropsColumn: break
        default: return nil
        }
        let table = destruction.effect.table
        guard seen.insert(table.asciiLowercased).inserted,
          let old = scene.before.object(.table, named: table)?.sql.flatMap(TableProperties.init),
          let new = try scene.db.relation(named: table)?.sql.flatMap(TableProperties.init)
        else { return nil }
        let lost = try old.lost(in: new, scene.db, table) + scene.lostIndexProperties(of: table)
        guard !lost.isEmpty else { return nil }
        var finding = linted.finding(
          .lostProperty,
          "after the migration, table \"\(table)\" lacks what it had before: \(listed(lost.map(\.text), limit: 50))",
          remedy:
            "Add \(lost.count == 1 ? "it" : "them") to the new definition. If the loss is intended, add a comment "
            + "before the statement: -- migrator: allow lost-property REASON")
        finding.table = table.asciiLowercased
        let copied = scene.insertedColumns
        // The values of a generated column are in no row that a copy reads, unless it names the column.
        let losesValues = lost.contains { $0.isGeneration && !copied.isSuperset(of: $0.columns) }
        finding.harm = losesValues ? .values : .definition
        return finding
      }
    })
}

extension LintScene {
  /// Returns the properties that indexes of a table had before the migration, and that indexes of the same names lack now.
  fileprivate func lostIndexProperties(of table: String) throws -> [TableProperties.Property] {
    let now = try db.connection.schema()
    let indexes = before.objects.filter { $0.tableName.asciiLowercased == table.asciiLowercased }
    return indexes.flatMap { object -> [TableProperties.Property] in
      guard let old = object.index, let new = now.object(.index, named: object.name)?.index else { return [] }
      let properties: [(text: String, isPresent: (SQLCreateIndex) -> Bool)] = [
        ("UNIQUE", { $0.isUnique }), ("WHERE", { $0.condition != nil }),
        ("DESC", { $0.columns.contains(where: \.isDescending) }),
        ("COLLATE", { $0.columns.contains { $0.collation != nil } }),
      ]
      return properties.filter { $0.isPresent(old) && !$0.isPresent(new) }.map {
        TableProperties.Property(key: $0.text, text: "\($0.text) of index \"\(object.name)\"", columns: [])
      }
    }
  }

  /// The columns that INSERT statements of the migration name, in lower case.
  fileprivate var insertedColumns: Set<String> {
    Set(
      file.statements.flatMap { statement -> [String] in
        guard case .data(.insert(let insert))? = (try? SQLTree(parsing: statement.text))?.statement else { return [] }
        return insert.columns.map(\.folded)
      })
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
    var isGeneration = false
  }

  private let table: SQLCreateTable
  private let source: SQLSource
  private var properties: [Property] = []
  private var checks: [Property] = []
  /// The defaults of columns, by the column's name in lower case.
  private var defaults: [String: ColumnDefault] = [:]

  init?(_ sql: String) {
    guard let syntax = try? SQLTree(parsing: sql), case .createTable(let table) = syntax.statement,
      table.select == nil
    else { return nil }
    (self.table, source) = (table, syntax.source)
    for column in table.columns { for constraint in column.constraints { add(constraint, of: column) } }
    for constraint in table.constraints { add(constraint) }
    for key in table.foreignKeys { add(key) }
    for option in table.options { add("option \(option)", option, []) }
  }

  /// Returns the properties that another definition does not have, although it has their columns.
  func lost(in new: TableProperties, _ db: Database, _ name: String) throws -> [Property] {
    let columns = Set(new.table.columns.map(\.name.folded))
    var keys = Set(new.properties.map(\.key))
    let primaryKey = try db.primaryKey(of: name)
    // A unique index, or the primary key, does what a UNIQUE constraint does.
    let unique = try db.connection.indexes(on: name).filter { $0.isUnique && !$0.isPartial }
      .map { $0.columns.compactMap { $0.name?.asciiLowercased } }
    for columns in unique + [primaryKey] { keys.insert(Self.uniqueKey(columns)) }
    for column in primaryKey { keys.insert("not null \(column)") }
    let missing =
      new.checks.count < checks.count
      ? checks.filter { check in !new.checks.contains { $0.key == check.key } }.prefix(checks.count - new.checks.count)
      : []
    let quoted = table.columns.filter { column in
      guard let old = defaults[column.name.folded] else { return false }
      return new.defaults[column.name.folded]?.isText(of: old) ?? false
    }.map { column in
      Property(key: "", text: "the value of the DEFAULT of \"\(column.name.value)\", which is a text now", columns: [])
    }
    return (properties.filter { !keys.contains($0.key) } + missing).filter { columns.isSuperset(of: $0.columns) }
      + quoted
  }

  private static func uniqueKey(_ columns: [String]) -> String { "unique \(columns.sorted())" }

  private mutating func add(_ key: String, _ text: String, _ columns: [String], isGeneration: Bool = false) {
    properties.append(Property(key: key, text: text, columns: columns, isGeneration: isGeneration))
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
      add(Self.uniqueKey([name]), "UNIQUE of \(quoted)", [name])
      add(conflict, of: [column.name])
    case .check: addCheck(constraint.tokens)
    case .defaultValue(let value):
      add("default \(name)", "DEFAULT of \(quoted)", [name])
      defaults[name] = ColumnDefault(text: source.text(of: value.tokens))
    case .collate(let collation):
      // BINARY is what a column has without a collation.
      if collation.folded != "binary" { add("collate \(name)", "COLLATE \(collation.value) of \(quoted)", [name]) }
    case .generated:
      add("generated \(name)", "the expression of the generated column \(quoted)", [name], isGeneration: true)
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
      add(Self.uniqueKey(names.map(\.folded)), "UNIQUE of \(quoted(names))", names.map(\.folded))
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

/// The default of a column, as its definition has it.
private struct ColumnDefault {
  let text: String

  /// Whether this is a string that contains an expression or keyword, such as `'CURRENT_DATE'`: what a program makes of it
  /// that reads the default from the schema and quotes it.
  func isText(of other: Self) -> Bool {
    // Another word is a text without quotes.
    let keywords = ["current_date", "current_time", "current_timestamp", "true", "false", "null"]
    guard text.hasPrefix("'"), other.text.hasPrefix("(") || keywords.contains(other.text.asciiLowercased) else {
      return false
    }
    return SQLIdentifier.unquoted(text).expression == other.text.expression
  }
}

extension String {
  /// The text in lower case, without the parentheses around it.
  fileprivate var expression: String {
    let inner = hasPrefix("(") && hasSuffix(")") ? String(dropFirst().dropLast()) : self
    return SQLFragment.trimmed(inner).asciiLowercased
  }
}
