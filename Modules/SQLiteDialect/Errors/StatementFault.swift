package import Migrator
package import SQLSyntax

/// The cause of an error of a statement, according to SQLite's message and the statement.
///
/// Each cause has its own advice: the file is at fault in some of these cases, the database or the engine in others.
package enum StatementFault: Equatable, Sendable {
  /// A view, a trigger or an index of the database is broken; `isByStatement` is whether this statement would break it.
  case brokenObject(kind: String, name: String, isByStatement: Bool)
  /// A view or a trigger that the statement uses names something that does not exist.
  case hiddenReference(String)
  /// A table, a view, an index or a trigger with this name exists.
  case objectExists(String)
  /// The table has a column with this name.
  case duplicateColumn(String)
  /// The name would change only in letter case.
  case letterCase(newName: String)
  /// The engine lacks a function, a collation, a tokenizer or a module; `isStored` is whether an object of the database,
  /// and not the statement, uses it.
  case missing(SQLRoutine, name: String, isStored: Bool)
  /// The engine is older than a feature that the statement, or a definition of the database, uses.
  case oldEngine(feature: String?, minorVersion: Int?, isStored: Bool)
  /// SQLite cannot drop the column, because a key or a constraint contains it, or because it is the only one of its table.
  case undroppableColumn, onlyColumn
  /// The change would break the table's own definition.
  case unchangeableTable
  /// The index of a full-text table, or another virtual table, is damaged; `isTree` is whether it is known to be an R-tree.
  case damagedVirtualTable(isTree: Bool)
  /// A virtual table refuses a row, without a reason, or a trigger refuses the change, with RAISE.
  case refusedByVirtualTable, raisedByTrigger
  /// The file, or a full-text table, has a format that only newer versions of SQLite know.
  case newerFormat
  /// Rows with equal keys are copied between two tables: an index of the source may be damaged.
  case equalKeysInCopy
  /// A mark that a merge has left, a comment that begins with `#`, or a command of the shell of a database.
  case mergeMark, shellComment, shellCommand
  /// A keyword in the place of a name.
  case keyword(String)
  /// SQL of another database, or a rule of SQLite that the statement breaks; the text is the way out.
  case advised(String)
  /// The statement changes rows of a view.
  case viewChange(String)
  /// A foreign key refers to columns that are not unique.
  case mismatchedKey(child: String, parent: String)
  /// SQLite does not let statements change or drop a table which it keeps itself.
  case internalTable(String)

  /// Determines the cause; nil if it is none of these.
  package init?(_ error: DatabaseError, minorVersion: Int? = nil) {
    let message = Message(error.message)
    let sql = error.sql ?? ""
    let feature = SQLFeature.named(inMessage: message.text)
    if let feature, feature.minorVersion > minorVersion ?? .max {
      self = .oldEngine(feature: feature.name, minorVersion: feature.minorVersion, isStored: false)
    } else if let fault = Self.ofSchema(
      message, overwrites: minorVersion.map { $0 < 28 } ?? (error.condition == .unsupported))
    {
      self = fault
    } else if error.resultCode == 267 {
      // SQLITE_CORRUPT_VTAB
      self = .damagedVirtualTable(isTree: message.text.contains("RTree"))
    } else if message.text == "unsupported file format" || message.text.hasPrefix("invalid fts5 file format") {
      // https://www.sqlite.org/fileformat2.html#schemaformat, and the option secure-delete of FTS5
      self = .newerFormat
    } else if error.condition == .constraint(.trigger), message.text != "FOREIGN KEY constraint failed" {
      self = .raisedByTrigger
    } else if case .constraint = error.condition, message.text == "constraint failed" {
      // SQLite's own tables give the constraint and its columns.
      self = .refusedByVirtualTable
    } else if let fault = Self.ofObjects(message, sql) ?? Self.ofColumns(message, sql) ?? Self.ofRoutines(
      message, sql, minorVersion)
      ?? Self.ofText(message, sql, minorVersion, error.utf8Offset)
    {
      self = fault
    } else if case .constraint(let constraint) = error.condition, constraint == .unique || constraint == .primaryKey,
      Self.copies(sql)
    {
      self = .equalKeysInCopy
    } else {
      return nil
    }
  }

  // MARK: Messages

  /// Returns the cause of an error about the stored definitions, which is about the engine and not about the file
  /// (`corruptSchema` of SQLite's prepare.c); nil for other messages, and if the file is damaged.
  ///
  /// - Parameter overwrites: Whether the engine may report the last error in place of the first one, as 3.15 does and 3.40 does
  ///   not: for a table whose definition it does not know, that is the one about the table's index.
  private static func ofSchema(_ message: Message, overwrites: Bool) -> StatementFault? {
    guard let detail = message.text.split(separator: ") - ", maxSplits: 1).dropFirst().first,
      message.text.hasPrefix("malformed database schema")
    else { return nil }
    let inner = Message(String(detail))
    if let fault = ofRoutines(inner, "", nil) { return fault }
    if inner.text.hasPrefix("no such table: ") { return overwrites ? .newerFormat : nil }
    // These are about pages and rows of the schema table; all others are messages of the parser about a definition.
    let isOfFile = [
      "invalid rootpage", "orphan index", "malformed", "already exists", "there is already",
      "unknown error", "incomplete input",
    ]
    .contains { inner.text.contains($0) }
    return isOfFile || inner.text.isEmpty ? nil : .oldEngine(feature: nil, minorVersion: nil, isStored: true)
  }

  private static func ofObjects(_ message: Message, _ sql: String) -> StatementFault? {
    if let rest = message.rest(after: "error in ") {
      guard let object = BrokenObject(rest) else { return nil }
      let detail = Message(object.detail)
      if let fault = ofRoutines(detail, "", nil), fault.needsOtherProgram { return fault }
      guard object.kind == "table", object.isByStatement else {
        return .brokenObject(kind: object.kind, name: object.name, isByStatement: object.isByStatement)
      }
      if rest.contains(" after add column: ") {
        return .advised(rules.advice { detail.text.contains($0) } ?? "Correct the new column.")
      }
      // The definition of the changed table itself would be wrong: to drop it is no way out.
      return detail.rest(after: "duplicate column name: ").map(StatementFault.duplicateColumn) ?? .unchangeableTable
    }
    if let name = message.rest(after: "there is already another table or index with this name: ") {
      if case .alterTable(let change)? = (try? SQLTree(parsing: sql))?.statement,
        case .rename(let newName) = change.action,
        newName.folded == change.table.name.folded
      {
        return .letterCase(newName: newName.value)
      }
      return .objectExists(name)
    }
    if let name = message.rest(after: "there is already a table named ")
      ?? message.rest(after: "there is already an index named ")
    {
      return .objectExists(name)
    }
    for kind in ["table", "index", "view", "trigger"] {
      if let name = message.text.between("\(kind) ", " already exists") { return .objectExists(name) }
      if let name = message.rest(after: "use DROP \(kind.uppercased()) to delete \(kind) ") {
        return .advised("Write DROP \(kind.uppercased()) \(name.identifierForReading).")
      }
    }
    if let name = message.text.between("cannot modify ", " because it is a view") { return .viewChange(name) }
    if let match = message.text.wholeMatch(of: /foreign key mismatch - "(.*)" referencing "(.*)"/) {
      return .mismatchedKey(child: String(match.1), parent: String(match.2))
    }
    if let match = message.text.wholeMatch(of: /table (.*) may not be (altered|dropped|indexed|modified)/) {
      return .internalTable(String(match.1))
    }
    if let name = message.rest(after: "no such table: ") ?? message.rest(after: "no such column: "),
      !mentions(name, in: sql)
    {
      return .hiddenReference(name)
    }
    return nil
  }

  private static func ofColumns(_ message: Message, _ sql: String) -> StatementFault? {
    if let name = message.rest(after: "duplicate column name: ") {
      // In CREATE TABLE, the statement itself names the column twice.
      guard case .alterTable? = (try? SQLTree(parsing: sql))?.statement else { return nil }
      return .duplicateColumn(name)
    }
    if message.text.hasPrefix("cannot drop "), !message.text.contains(" from "), message.text.contains("column") {
      return message.text.hasSuffix("no other columns exist") ? .onlyColumn : .undroppableColumn
    }
    if message.text == "SQL logic error", SyntaxErrorPlace(sql, message: "").matches("^ alter table") {
      // The engine checks the rows that exist.
      return .advised(
        "Delete the CHECK constraint: it uses the current time, or the time zone, which SQLite does not compute there.")
    }
    if message.text.hasPrefix("misuse of window function "), lacksWindow(message.text, sql) {
      return .advised("Write OVER () after the function, with the order and the groups in the parentheses.")
    }
    if message.text.hasPrefix("error in generated column"),
      ["* as", "* generated", "( * ) as", "( * ) generated", "- * as", "- * generated"]
        .contains(where: { SyntaxErrorPlace(sql, message: "").matches("default \($0)") })
    {
      return .advised("A generated column has no default: delete DEFAULT and its value.")
    }
    if ["CHECK", "NOT NULL"].contains(where: { message.text.hasPrefix("\($0) constraint failed") }),
      SQLSource(sql).tokens.first?.isWord("alter") ?? false
    {
      return .advised("The rows that exist would break the constraint: give the column a default that meets it.")
    }
    return rules.advice { message.text.contains($0) }.map { .advised($0) }
  }

  /// Whether a call of the window function that a message names has no OVER.
  private static func lacksWindow(_ message: String, _ sql: String) -> Bool {
    let source = SQLSource(sql)
    return source.tokens.indices.contains { index in
      guard message.asciiLowercased.hasSuffix(" \(source.tokens[index].folded)()"),
        source.token(index + 1)?.isOperator("(") ?? false, let end = source.closing(of: index + 1)
      else { return false }
      return !["over", "filter"].contains(source.token(end + 1)?.folded)
    }
  }

  private static func ofRoutines(_ message: Message, _ sql: String, _ minorVersion: Int?) -> StatementFault? {
    for (prefix, routine) in SQLRoutine.missing {
      guard var name = message.rest(after: prefix) else { continue }
      // The second message about functions adds parentheses.
      if routine == .function, name.hasSuffix("()") { name.removeLast(2) }
      // Without a statement, the engine reads the schema.
      let isStored = sql.isEmpty || !mentions(name, in: sql)
      if routine == .function {
        if let advice = SQLRoutine.advice(onForeignFunction: name) { return .advised(advice) }
        let feature = SQLFeature.used(by: name + "(").first
        if let feature, let minorVersion {
          // Some libraries are built without the functions of mathematics or JSON.
          let needed = minorVersion < feature.minorVersion ? feature.minorVersion : nil
          return .oldEngine(feature: feature.name, minorVersion: needed, isStored: isStored)
        }
      }
      if routine == .module, optionalModules.contains(name.asciiLowercased) {
        return .oldEngine(feature: "the module \(name.asciiLowercased)", minorVersion: nil, isStored: isStored)
      }
      let tokens = SQLSource(sql).tokens
      let isLength = zip(tokens, tokens.dropFirst(2)).contains {
        $0.folded == name.asciiLowercased && $1.kind == .number
      }
      if routine == .function, isLength, SyntaxErrorPlace(sql, message: "").matches("^ create index") {
        return .advised("SQLite indexes whole values: delete the length in parentheses.")
      }
      let isForeign = foreignCollations.contains { name.asciiLowercased.hasPrefix($0) || name.hasSuffix($0) }
      if routine == .collation, isForeign {
        return .advised(
          "SQLite has the collations BINARY, NOCASE and RTRIM: write one of them, or delete COLLATE and the name.")
      }
      return .missing(routine, name: name, isStored: isStored)
    }
    return nil
  }

  /// Modules of SQLite that some libraries are built without (https://www.sqlite.org/compile.html).
  private static let optionalModules: Set = [
    "fts3", "fts4", "fts5", "fts5vocab", "fts4aux", "rtree", "rtree_i32", "geopoly", "dbstat",
  ]

  private static func ofText(
    _ message: Message, _ sql: String, _ minorVersion: Int?, _ utf8Offset: Int?
  ) -> StatementFault? {
    if message.text.hasSuffix(" is not a database"), SyntaxErrorPlace(sql, message: "").matches("^ attach") {
      return .advised(
        "The attached file is not a database, or it is encrypted with another key than this one, or not at all: "
          + "ATTACH ... KEY '' opens one that is not encrypted, with SQLCipher.")
    }
    if message.text.hasPrefix("unrecognized token: \"#"), Self.hasShellComment(sql) { return .shellComment }
    if ["<<<<<<<", "|||||||", ">>>>>>>"].contains(where: sql.contains), message.text.hasPrefix("near ") {
      return .mergeMark
    }
    if message.text.hasPrefix("unknown database "), SyntaxErrorPlace(sql, message: "").matches("^ vacuum full") {
      return .advised("SQLite has no VACUUM FULL: write VACUUM.")
    }
    if message.text == "unrecognized token: \":\"", sql.contains("::") {
      return .advised(
        sql.contains(/(?i)\bdefault\s+('[^']*'|[^\s'(]+)::/)
          ? "After DEFAULT, write the value alone: delete :: and the type."
          : "Write CAST(value AS type) in place of value::type.")
    }
    if message.text.hasPrefix("unrecognized token: \"@") || message.text == "unrecognized token: \":\"",
      sql.contains(/@@?[A-Za-z_]/), !sql.hasPrefix("@")
    {
      return .advised("SQLite has no variables: write the value itself, or a query that gives it.")
    }
    if message.text == "not authorized", sql.holdsWord("load_extension") {
      return .advised(
        "SQL cannot load an extension here: delete the call, and run this in a program that has loaded it.")
    }
    if message.text == "unrecognized token: \"!\"", !sql.hasPrefix("!") {
      if sql.contains("!<") || sql.contains("!>") {
        return .advised("Write >= in place of `!<`, and <= in place of `!>`.")
      }
      return .advised(
        sql.contains("=!") ? "Write <> in place of `=!`, if the values must differ." : "Write NOT in place of `!`.")
    }
    if let advice = ofSchemaName(message, sql) { return .advised(advice) }
    if message.text.contains(where: "\u{2018}\u{2019}\u{201C}\u{201D}\u{201E}".contains) {
      return .advised("These are typographic quotes: write ' around strings, and \" around names.")
    }
    // Old R-trees count a + column.
    let others = [
      "unrecognized token", "unknown table option: ", "Wrong number of columns for an rtree",
      "error in tokenizer constructor",
    ]
    let isSyntax =
      ["syntax error", "incomplete input"].contains(where: message.text.hasSuffix)
      || others.contains(where: message.text.hasPrefix)
    let place = SyntaxErrorPlace(sql, message: message.text, utf8Offset: utf8Offset)
    if isSyntax || message.text.hasPrefix("no such "), let scalar = place.lookalike {
      return .advised(
        "The statement contains the character \(scalar.code), which looks like a space or a sign, or like nothing: delete "
          + "it, or write the ASCII character in its place.")
    }
    if message.text.hasPrefix("no such "), let advice = foreignNames.advice(where: place.matches) {
      return .advised(advice)
    }
    return isSyntax ? ofSyntax(message, sql, minorVersion, place) : nil
  }

  private static func ofSyntax(_ message: Message, _ sql: String, _ minorVersion: Int?, _ place: SyntaxErrorPlace)
    -> StatementFault?
  {
    if let first = sql.first, ".\\@:/!".contains(first), !sql.hasPrefix("//") { return .shellCommand }
    if Self.hasShellComment(sql) { return .shellComment }
    if let advice = place.missingSemicolon ?? place.unevenSigns { return .advised(advice) }
    if let minorVersion, let feature = SQLFeature.used(by: sql).first(where: { $0.minorVersion > minorVersion }) {
      return .oldEngine(feature: feature.name, minorVersion: feature.minorVersion, isStored: false)
    }
    if message.text.hasPrefix("error in tokenizer constructor") {
      return .advised("The tokenizer does not know one of the words after its name: correct or delete it.")
    }
    if message.text == "near \"DO\": syntax error", copies(sql), sql.holdsWord("conflict") {
      // https://www.sqlite.org/lang_upsert.html#parsing_ambiguity
      return .advised("SQLite reads this ON as the condition of a join: write WHERE true before ON CONFLICT.")
    }
    if let advice = foreignNames.advice(where: place.matches) ?? foreignSyntax.advice(where: place.matches) {
      return .advised(advice)
    }
    if let word = place.unknownStatement {
      return .advised("SQLite has no \(word): delete the statement, or write with SQLite's statements what it does.")
    }
    return place.keywordForName.map { .keyword($0) } ?? place.commaAdvice.map { .advised($0) }
  }

  /// Returns the advice about a name of a schema or of a table of another database; nil if the message is about another name.
  private static func ofSchemaName(_ message: Message, _ sql: String) -> String? {
    let kinds = ["table", "column", "view", "index", "trigger"]
    guard
      let name = kinds.lazy.compactMap({ message.rest(after: "no such \($0): ") }).first
        ?? message.rest(after: "unknown database ")
    else { return nil }
    let parts = name.asciiLowercased.split(separator: ".").map { SQLIdentifier.unquoted(String($0)) }
    let isColumn = message.text.hasPrefix("no such column: ")
    if let advice = foreignTables.advice(where: parts.dropLast(isColumn ? 1 : 0).contains) { return advice }
    // A single name can contain a period, and a column may only have its table before it.
    let tokens = SQLSource(sql).tokens
    let isQualified = zip(tokens, tokens.dropFirst()).contains { $0.folded == parts.first && $1.isOperator(".") }
    let isSchema = message.text.hasPrefix("unknown database ") || isQualified && parts.count == (isColumn ? 3 : 2)
    guard let schema = parts.first, isSchema || ["public", "dbo"].contains(schema) && parts.count > 1,
      !["main", "temp"].contains(schema)
    else { return nil }
    return
      "SQLite has no schemas in a file: delete \(schema) and the period. If it is the name of an attached file, that file "
      + "must be attached, and have what the statement names."
  }

  /// Whether the first `#` outside of strings begins a line.
  private static func hasShellComment(_ sql: String) -> Bool {
    let source = SQLSource(sql)
    return source.tokens.first { $0.text.hasPrefix("#") }.map(source.beginsLine) ?? false
  }

  /// Whether a statement contains a name, of which the message may give the schema or the table.
  private static func mentions(_ name: String, in sql: String) -> Bool {
    // A name can contain periods.
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return sql.isEmpty
      || parts.indices.contains { start in
        let last = parts[start...].joined(separator: ".")
        let sought = SQLIdentifier.unquoted(last).asciiLowercased
        return SQLSource(sql).tokens.contains { token in
          // Some messages add quotes to those of the statement.
          token.folded == sought || token.text == last || "\"\(token.text)\"" == last
            || token.kind == .string && token.text.asciiLowercased.contains(sought)
        }
      }
  }

  /// Whether a statement copies rows from a table to another one.
  private static func copies(_ sql: String) -> Bool {
    let tokens = SQLSource(sql).tokens
    return ["insert", "replace"].contains(tokens.first?.folded) && tokens.contains { $0.isWord("select") }
      && tokens.contains { $0.isWord("from") }
  }
}

/// A message of SQLite.
struct Message {
  let text: String

  init(_ text: String) {
    // The hint about a name in double quotes (since 3.46) is not a part of the name.
    self.text =
      text.ranges(of: " - should this be a string literal").first.map { String(text[..<$0.lowerBound]) } ?? text
  }

  func rest(after prefix: String) -> String? { text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil }
}

/// The object that a message of ALTER TABLE names (`renameTestSchema` of SQLite's alter.c):
/// `KIND NAME[ after ALTERATION]: DETAIL`.
private struct BrokenObject {
  let kind: String
  let name: String
  let isByStatement: Bool
  let detail: String

  /// The beginnings of details; nothing but these sets the name, which can contain a colon, apart from the detail.
  private static let details = [
    "no such ", "near \"", "ambiguous ", "duplicate ", "circularly ", "error in ", "unknown ",
  ]

  init?(_ text: String) {
    guard let blank = text.firstIndex(of: " ") else { return nil }
    let rest = text[text.index(after: blank)...]
    let colons = rest.ranges(of: ": ")
    let colon = colons.first { colon in Self.details.contains { rest[colon.upperBound...].hasPrefix($0) } }
    guard let colon = colon ?? colons.first else { return nil }
    let head = rest[..<colon.lowerBound]
    let after = [" after rename", " after drop ", " after add "].lazy.compactMap { head.ranges(of: $0).last }.first
    (kind, detail) = (String(text[..<blank]), String(rest[colon.upperBound...]))
    (name, isByStatement) = (String(head[..<(after?.lowerBound ?? head.endIndex)]), after != nil)
  }
}

extension String {
  func between(_ prefix: String, _ suffix: String) -> String? {
    guard hasPrefix(prefix), hasSuffix(suffix), count > prefix.count + suffix.count else { return nil }
    return SQLIdentifier.unquoted(String(dropFirst(prefix.count).dropLast(suffix.count)))
  }
}
