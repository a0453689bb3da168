internal import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  func statement(creating table: NewVirtualTableDescription) throws(DatabaseError) -> String {
    try requireModule(table.module, for: table.name)
    return table.createSQL
  }

  /// Returns the statements that create a full-text table and the triggers that synchronize it with its content table.
  func statements(creating table: NewFullTextTableDescription) throws(DatabaseError) -> [String] {
    try requireModule(table.module.rawValue, for: table.name)
    var contentKey: String?
    if table.isSynchronized, let content = table.contentTable {
      contentKey = try rowIDColumn(of: content, in: table.schema, for: table.name)
    }
    var statements = [table.virtualTable(contentKey: contentKey).createSQL]
    guard let contentKey, let content = table.contentTable else { return statements }
    for trigger in table.synchronizationTriggers(content: content, key: contentKey) {
      statements.append(try statement(creating: trigger))
    }
    let name = table.name.quotedIdentifier
    statements.append("INSERT INTO \(table.name.quotedIdentifier(in: table.schema))(\(name)) VALUES ('rebuild')")
    return statements
  }

  private func rowIDColumn(
    of table: String, in schema: String?, for fullTextTable: String
  ) throws(DatabaseError) -> String {
    guard let columns = try columns(in: table, inSchema: schema) else {
      throw refusal(
        "no such table: \(table), the content table of \"\(fullTextTable)\"",
        remedy: "Create the content table first.", condition: .statement)
    }
    let keys = columns.filter { $0.primaryKeyIndex > 0 }
    // The key has an index unless it is an alias of the rowid (https://www.sqlite.org/lang_createtable.html#rowid).
    guard keys.count == 1, keys[0].declaredType.asciiLowercased == "integer",
      try !indexes(on: table, inSchema: schema).contains(where: { $0.origin == .primaryKey })
    else {
      throw refusal(
        "\"\(table)\" has no INTEGER PRIMARY KEY, which \"\(fullTextTable)\" needs to find its rows: other rowids can"
          + " change at a VACUUM",
        remedy: "Give the table an INTEGER PRIMARY KEY, or let the full-text table store the text itself.")
    }
    return keys[0].name
  }

  /// Throws if the engine does not have the module of a virtual table; does nothing if the engine cannot list its
  /// modules.
  func requireModule(_ module: String, for table: String) throws(DatabaseError) {
    let name = module.asciiLowercased
    // Engines before 3.30 have no such list, unless built with it
    // (https://www.sqlite.org/pragma.html#pragma_module_list).
    let known = try texts("PRAGMA module_list").map(\.asciiLowercased)
    let abilities = engine.abilities
    let ability: EngineAbilities? = ["fts4": .fts4, "fts5": .fts5][name]
    let isThere = known.isEmpty ? ability.map(abilities.contains) ?? true : known.contains(name)
    guard !isThere else { return }
    let other = name == "fts5" && abilities.contains(.fts4) ? " Use FTS4 instead." : ""
    throw refusal(
      "\(versionText) has no module \"\(module)\", which \"\(table)\" requires",
      remedy: "Use an engine that includes the module.\(other)")
  }
}

extension NewFullTextTableDescription {
  fileprivate func virtualTable(contentKey: String?) -> NewVirtualTableDescription {
    NewVirtualTableDescription(
      name: name, schema: schema, options: options, module: module.rawValue,
      arguments: module == .fts5 ? fts5Arguments(contentKey: contentKey) : fts4Arguments)
  }

  // https://www.sqlite.org/fts5.html#overview_of_fts5
  private func fts5Arguments(contentKey: String?) -> [String] {
    var arguments = columns.map { $0.name.quotedIdentifier + ($0.isIndexed ? "" : " UNINDEXED") }
    if let tokenizer {
      let words = tokenizer.components.map { $0.isBareword ? $0 : $0.quotedText }
      arguments.append("tokenize = \(words.joined(separator: " ").quotedText)")
    }
    if !prefixes.isEmpty { arguments.append("prefix = '\(prefixes.map(String.init).joined(separator: " "))'") }
    if let contentTable { arguments.append("content = \(contentTable.quotedText)") }
    if let contentKey { arguments.append("content_rowid = \(contentKey.quotedText)") }
    return arguments + settings.map { "\($0.name) = \($0.value)" }
  }

  // https://www.sqlite.org/fts3.html#fts4_options
  private var fts4Arguments: [String] {
    var arguments = columns.map { $0.name.quotedIdentifier }
    arguments += columns.filter { !$0.isIndexed }.map { "notindexed=\($0.name.quotedIdentifier)" }
    if let tokenizer {
      let options = tokenizer.components.dropFirst().map(\.quotedIdentifier)
      arguments.append("tokenize=" + ([tokenizer.components[0]] + options).joined(separator: " "))
    }
    if !prefixes.isEmpty { arguments.append("prefix=\"\(prefixes.map(String.init).joined(separator: ","))\"") }
    if let contentTable { arguments.append("content=\(contentTable.quotedIdentifier)") }
    return arguments + settings.map { "\($0.name)=\($0.value)" }
  }

  /// Returns the triggers on the content table that update the full-text table.
  ///
  /// To remove a row's text from its index, FTS4 reads the text from the content table, so its triggers must run before
  /// that table changes (https://www.sqlite.org/fts3.html#_external_content_fts4_tables_). For FTS5, the triggers pass
  /// the old text (https://www.sqlite.org/fts5.html#external_content_tables).
  fileprivate func synchronizationTriggers(content: String, key: String) -> [NewTriggerDescription] {
    let table = name.quotedIdentifier
    let key = key.quotedIdentifier
    let names = columns.map { $0.name.quotedIdentifier }
    let list = names.joined(separator: ", ")
    let new = names.map { "NEW.\($0)" }.joined(separator: ", ")
    let old = names.map { "OLD.\($0)" }.joined(separator: ", ")
    let insert: String
    let delete: String
    switch module {
    case .fts5:
      insert = "INSERT INTO \(table)(rowid, \(list)) VALUES (NEW.\(key), \(new))"
      delete = "INSERT INTO \(table)(\(table), rowid, \(list)) VALUES ('delete', OLD.\(key), \(old))"
    case .fts4:
      insert = "INSERT INTO \(table)(docid, \(list)) VALUES (NEW.\(key), \(new))"
      delete = "DELETE FROM \(table) WHERE docid = OLD.\(key)"
    }
    let triggers: [(NewTriggerDescription.Timing, NewTriggerDescription.Event, String)] =
      switch module {
      case .fts5: [(.after, .insert, insert), (.after, .delete, delete), (.after, .update(), "\(delete); \(insert)")]
      case .fts4:
        [
          (.before, .update(), delete), (.before, .delete, delete), (.after, .update(), insert),
          (.after, .insert, insert),
        ]
      }
    return zip(synchronizationTriggerNames, triggers).map { triggerName, trigger in
      NewTriggerDescription(
        name: triggerName, schema: schema, options: options.contains(.ifNotExists) ? .ifNotExists : [],
        timing: trigger.0, event: trigger.1, table: content, statements: trigger.2)
    }
  }
}

extension String {
  fileprivate var isBareword: Bool {
    !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" }
  }
}
