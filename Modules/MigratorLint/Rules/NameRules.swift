internal import Migrator
internal import SQLSyntax

extension LintRule {
  static let doubleQuotedText: LintRule = LintRule(
    name: "double-quoted-text", summary: "a string literal in double quotes",
    details:
      "SQLite treats an unknown name in double quotes as a string literal, so a misspelled column becomes a constant instead of "
      + "an error. So does a view or trigger that still names a dropped column. Newer builds of SQLite reject it. "
      + "(https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted)",
    beforeStatement: { linted, scene in
      // Reading the tables takes longer than the rest.
      guard let syntax = linted.syntax, linted.tokens.contains(where: { $0.text.hasPrefix("\"") }) else { return [] }
      var lookup = try NameLookup(syntax, db: scene.db)
      let unresolved = try lookup.quotedStrings()
      let strings = unresolved.map(\.name.token)
      return try strings.map { token in
        let text = linted.tokens[token].text
        let stored = try storing(token, among: strings, syntax, lookup.names, scene.db)
        let effect = stored.map { ": every row \($0.verb) \"\($0.table)\" gets that text" } ?? ""
        return linted.finding(
          .doubleQuotedText, at: token, harm: stored == nil ? nil : .values, of: stored?.table,
          "\(text) is not a column, so SQLite treats it as a string literal\(effect)",
          remedy: "Use single quotes for a string literal; check the spelling if you meant a column.")
      }
    },
    afterMigration: { scene in
      try scene.capturedNames.sorted { $0.key < $1.key }.compactMap { title, captured in
        // The migration may have dropped or recreated the object; a new definition has findings of its own.
        guard let object = try scene.db.connection.schema().objects.first(where: { $0.title == title }) else {
          return nil
        }
        let strings = try NameLookup.quotedStrings(in: object, scene.db)
        // A later ALTER TABLE writes such a string in single quotes.
        let names = captured.names.filter { name in
          strings.contains(name) || object.sql?.contains(name.replacing("\"", with: "'")) ?? false
        }
        guard !names.isEmpty else { return nil }
        return captured.linted.finding(
          .doubleQuotedText, harm: .definition, of: captured.linted.changedName,
          "the \(title) names \(names.sorted().joined(separator: ", ")): no column has such a name after the migration, so SQLite "
            + "treats it as a string literal",
          remedy:
            "Drop the \(object.kind.rawValue) before this statement and recreate it afterwards, or drop it permanently."
        )
      }
    })

  /// Returns the table whose rows a statement copies or changes, if it stores the string literal at a token in them; nil
  /// otherwise.
  ///
  /// Some authors write all string literals in double quotes. Only an author who also writes names so has misspelled one, or
  /// the author of a copy, if a column has a similar name.
  private static func storing(
    _ token: Int, among strings: [Int], _ syntax: SQLTree, _ names: SQLNames, _ db: Database
  ) throws -> (verb: String, table: String)? {
    let tokens = syntax.source.tokens
    let quotesNames = tokens.indices.contains { tokens[$0].text.hasPrefix("\"") && !strings.contains($0) }
    switch syntax.statement {
    case .data(.insert(let insert)):
      let upsert = tokens.indices.dropLast().first { tokens[$0].isWord("do") && tokens[$0 + 1].isWord("update") }
      if let upsert, upsert < token { return quotesNames ? ("changed in", insert.table.name.value) : nil }
      guard let select = insert.select, let source = names.source(of: insert),
        select.cores.contains(where: { $0.results.contains { $0.contains(token) } })
      else { return nil }
      let columns = try (names.tables + [insert.table.name.value]).flatMap { table -> [String] in
        let columns = try DatabaseError.ifPossible { try db.connection.columns(in: table) } ?? nil
        return columns?.map(\.name) ?? []
      }
      let isSimilar = Suggestion.nearest(to: tokens[token].folded, among: columns) != nil
      return quotesNames || isSimilar ? ("copied from", source) : nil
    case .data(.update(let update)) where update.assignments.contains { $0.value.tokens.contains(token) }:
      return quotesNames ? ("changed in", update.table.name.value) : nil
    case .createTable(let table) where table.select != nil:
      return quotesNames ? names.tables.first.map { ("copied from", $0) } : nil
    default: return nil
    }
  }

  static let insertSelectStar: LintRule = LintRule(
    name: "insert-select-star", summary: "INSERT ... SELECT *, or of columns in another order than those of the table",
    details:
      "The values are stored by position. With *, the order and number of the columns can differ between a database that was "
      + "altered and one that was created from scratch. (https://www.sqlite.org/lang_insert.html)",
    beforeStatement: { linted, scene in
      guard let names = linted.syntax.map({ SQLNames(in: $0) }) else { return [] }
      return try names.queries.flatMap { query -> [LintFinding] in
        guard let syntax = linted.syntax, case .insertion(let insertion) = query.purpose else { return [] }
        return try zip(query.select.cores, query.scopes).compactMap { core, scope in
          let star = core.results.lazy.compactMap(\.star).first
          let insert = names.inserts[insertion]
          let rows = names.scopes[scope].rows
          let isOnly = query.select.cores.count == 1
          let mixed = try mixedColumn(core.results, rows, isOnly: isOnly, insert, syntax, scene.db)
          guard let place = star ?? mixed?.token,
            try mixed != nil || rows.contains(where: { try $0.isStored && !hasNamedColumns($0, scene.db) })
          else { return nil }
          return linted.finding(
            .insertSelectStar, at: place, harm: mixed == nil ? nil : .values, of: mixed?.table,
            mixed.map {
              "SELECT\(star == nil ? "" : " *") stores column \"\($0.source)\" of table \"\($0.table)\" in column "
                + "\"\($0.target)\" of table \"\(insert.table.name.value)\", because the columns have another order"
            } ?? "SELECT * returns the columns in whatever order this database has them",
            remedy: "Name the columns on both sides: INSERT INTO "
              + "\(insert.table.name.value.identifierForReading) (a, b) SELECT a, b FROM ..."
          )
        }
      }
    })

  /// Whether rows are those of a view whose definition names its columns.
  private static func hasNamedColumns(_ rows: SQLRows, _ db: Database) throws -> Bool {
    guard case .stored(let table) = rows.kind, let view = try db.relation(named: table.name.value), view.kind == .view
    else { return false }
    guard case .createView(let syntax)? = view.sql.flatMap({ try? SQLTree(parsing: $0) })?.statement else {
      return false
    }
    return !syntax.select.cores.contains { $0.results.contains { $0.star != nil } }
  }

  private typealias MixedColumn = (table: String, source: String, target: String, token: Int?)

  /// Returns the first column of a copied table that a query stores in a column of another name; nil if there is none.
  ///
  /// For `SELECT *`, the new table must have a column of that name. Columns that are named are mixed up only if the INSERT
  /// names none, and if they are exchanged.
  private static func mixedColumn(
    _ results: [SQLResultColumn], _ rows: [SQLRows], isOnly: Bool, _ insert: SQLInsert, _ syntax: SQLTree,
    _ db: Database
  ) throws -> MixedColumn? {
    let hasStar = results.contains { $0.star != nil }
    guard hasStar ? results.count == 1 && rows.count == 1 : isOnly && insert.columns.isEmpty,
      let table = SQLNames(in: syntax).source(of: insert)
    else { return nil }
    var sources: [(name: String, token: Int?)?] = results.map { result in
      guard case .expression(_, let alias) = result, let source = result.copiedColumn(in: syntax.source)?.column,
        alias.map({ $0.folded == source.folded }) ?? true
      else { return nil }
      return (source.value, source.token)
    }
    if hasStar {
      var lookup = try NameLookup(syntax, db: db)
      sources = try lookup.columns(of: rows[0])?.map { ($0, nil) } ?? []
    }
    let target = try columns(of: insert, db)
    let pairs = zip(sources, target).compactMap { source, target -> MixedColumn? in
      guard let source, source.name.asciiLowercased != target.asciiLowercased else { return nil }
      return (table, source.name, target, source.token)
    }
    let named = Set(pairs.map(\.source.asciiLowercased)), stored = Set(pairs.map(\.target.asciiLowercased))
    if hasStar { return pairs.first { pair in target.contains { $0.asciiLowercased == pair.source.asciiLowercased } } }
    return named == stored && stored.count == pairs.count ? pairs.first : nil
  }

  /// Returns the columns that an INSERT fills, in order.
  private static func columns(of insert: SQLInsert, _ db: Database) throws -> [String] {
    guard insert.columns.isEmpty else { return insert.columns.map(\.value) }
    let columns = try DatabaseError.ifPossible { try db.connection.columns(in: insert.table.name.value) } ?? nil
    return (columns ?? []).filter { !$0.isGenerated && !$0.isHidden }.map(\.name)
  }
}

extension SQLResultColumn {
  /// Whether a token is in the expression of the result.
  fileprivate func contains(_ token: Int) -> Bool {
    if case .expression(let expression, _) = self { expression.tokens.contains(token) } else { false }
  }
}

extension SQLNames {
  /// Returns the first table that an INSERT reads, apart from its own; nil if there is none.
  func source(of insert: SQLInsert) -> String? {
    tables.first { $0.asciiLowercased != insert.table.name.folded }
  }
}

extension LintRule {
  static let omittedColumn: LintRule = LintRule(
    name: "omitted-column", summary: "INSERT ... SELECT without a column that is NOT NULL",
    details:
      "A column that the statement does not name gets its default, and without one NULL. SQLite accepts the statement while "
      + "the query returns no rows, as on a developer's machine, and rejects it for the first row. "
      + "(https://www.sqlite.org/lang_insert.html)",
    beforeStatement: { linted, scene in
      guard case .data(.insert(let insert))? = linted.syntax?.statement, let select = insert.select,
        !insert.columns.isEmpty, select.cores.contains(where: \.readsTables), !linted.ignoresConflicts,
        let columns = try scene.db.connection.columns(in: insert.table.name.value)
      else { return [] }
      let named = Set(insert.columns.map(\.folded))
      let omitted = columns.filter { column in
        column.isNotNull && !column.isGenerated && !named.contains(column.name.asciiLowercased)
          && (column.defaultValueSQL.map { $0.asciiLowercased == "null" } ?? true)
      }
      guard !omitted.isEmpty else { return [] }
      // SQLite numbers a primary key that is the rowid, which has no index.
      let isNumbered = try !scene.db.connection.indexes(on: insert.table.name.value).contains {
        $0.origin == .primaryKey
      }
      return omitted.filter { !(isNumbered && $0.primaryKeyIndex > 0) }
        .map { column in
          linted.finding(
            .omittedColumn, at: insert.table.name.token,
            "the statement gives no value for column \"\(column.name)\" of table \"\(insert.table.name.value)\", which is NOT "
              + "NULL and has no default: it fails as soon as its query returns a row",
            remedy: "Name the column and select a value for it, or give it a default.")
        }
    })
}

extension LintedStatement {
  /// Whether an INSERT leaves out rows that violate a constraint: INSERT OR IGNORE.
  fileprivate var ignoresConflicts: Bool {
    zip(tokens, tokens.dropFirst()).contains { $0.isWord("or") && $1.isWord("ignore") }
  }
}

extension SQLResultColumn {
  /// The token of `*`, or of the table in `table.*`; nil for other result columns.
  fileprivate var star: Int? {
    switch self {
    case .all(let token): token
    case .allOf(let table): table.token
    case .expression: nil
    }
  }
}

extension SQLRows {
  /// Whether the rows come from a stored table, whose columns the statement does not show.
  fileprivate var isStored: Bool {
    switch kind {
    case .stored: true
    case .join(let parts): parts.contains(where: \.isStored)
    default: false
    }
  }
}

extension LintRule {
  static let misspelledPragma: LintRule = LintRule(
    name: "misspelled-pragma", summary: "a PRAGMA whose name is nearly that of another",
    details:
      "SQLite ignores a PRAGMA that it does not know, without an error. (https://www.sqlite.org/pragma.html#syntax)",
    beforeStatement: { linted, _ in
      let tokens = linted.tokens
      let place = tokens.count > 3 && tokens[2].isOperator(".") ? 3 : 1
      guard tokens.count > place, tokens[0].isWord("pragma"), !pragmas.contains(tokens[place].folded),
        let meant = pragmas.sorted().first(where: { Suggestion.distance(from: $0, to: tokens[place].folded) < 3 })
      else { return [] }
      return [
        linted.finding(
          .misspelledPragma, at: place,
          "SQLite has no PRAGMA \(tokens[place].text), and ignores it", remedy: "Did you mean \(meant)?")
      ]
    })

  /// The names at https://www.sqlite.org/pragma.html.
  private static let pragmas = Set(
    """
    analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill case_sensitive_like \
    cell_size_check checkpoint_fullfsync collation_list compile_options count_changes data_store_directory data_version \
    database_list default_cache_size defer_foreign_keys empty_result_callbacks encoding foreign_key_check foreign_key_list \
    foreign_keys freelist_count full_column_names fullfsync function_list hard_heap_limit ignore_check_constraints \
    incremental_vacuum index_info index_list index_xinfo integrity_check journal_mode journal_size_limit legacy_alter_table \
    legacy_file_format locking_mode max_page_count mmap_size module_list optimize page_count page_size parser_trace \
    pragma_list query_only quick_check read_uncommitted recursive_triggers reverse_unordered_selects schema_version \
    secure_delete short_column_names shrink_memory soft_heap_limit stats synchronous table_info table_list table_xinfo \
    temp_store temp_store_directory threads trusted_schema user_version vdbe_addoptrace vdbe_debug vdbe_listing vdbe_trace \
    wal_autocheckpoint wal_checkpoint writable_schema
    """.split(separator: " ").map(String.init))
}
