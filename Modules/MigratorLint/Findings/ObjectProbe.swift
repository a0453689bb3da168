#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
package import Migrator
internal import SQLSyntax

/// A test whether the engine can use an object of a schema.
package enum ObjectProbe {
  /// The reason why an object cannot be used.
  package struct Fault: Sendable {
    /// The engine's message.
    package let reason: String
    /// Whether this connection lacks something that an app may register: a function, a collation, a module, a tokenizer.
    package let isOfConnection: Bool
    /// The advice about a function of another database or a newer SQLite, which an app may still register; nil for other
    /// reasons.
    package let advice: String?
    /// Whether the reason is none that an app is likely to remove.
    package var isOfSchema: Bool { !isOfConnection || advice != nil }
    /// Whether an expression gives the current time, or a time in another zone, where the result must always be the same.
    package var isOfTime: Bool { reason.hasPrefix("non-deterministic use of ") }
    /// Whether the engine compiles the object, and refuses to compute its rows.
    package var isOfRows: Bool { Self.ofRows.contains(where: reason.hasPrefix) }

    /// The beginnings of the engine's messages about definitions with which no program can compute rows.
    package static let ofRows = ["non-deterministic use of ", "generated column loop"]
    /// Whether this connection does not trust the schema (https://www.sqlite.org/pragma.html#pragma_trusted_schema).
    package var isOfDistrust: Bool { reason.contains("unsafe use of") }

    fileprivate init(_ error: DatabaseError, _ object: SchemaObject) {
      let message = error.message
      (reason, advice) = (message, SQLRoutine.advice(onMissingFunctionIn: message))
      // A newer version of FTS5 has written the table; without any format, it is damaged.
      let lacks = SQLRoutine.missing.map(\.prefix) + ["unsafe use of", "invalid fts5 file format (found 5"]
      isOfConnection = lacks.contains { message.contains($0) } || Self.isOfTableFunction(message, object)
    }

    /// Whether the missing table is one with arguments, which a module provides.
    private static func isOfTableFunction(_ message: String, _ object: SchemaObject) -> Bool {
      guard let range = message.firstRange(of: "no such table: "), let sql = object.sql else { return false }
      let name = message[range.upperBound...].split(separator: ".").last.map { String($0).asciiLowercased } ?? ""
      let tokens = SQLSource(sql).tokens
      return tokens.indices.dropLast().contains { index in
        guard tokens[index].folded == name, tokens[index + 1].isOperator("(") else { return false }
        // The columns of INSERT INTO log (text) are no arguments.
        let place = index - (index > 1 && tokens[index - 1].isOperator(".") ? 3 : 1)
        return place < 0 || !tokens[place].isWord("into")
      }
    }
  }

  /// Returns those of a database's objects that cannot be used, except those that use something which only an app has.
  package static func faults(
    of objects: [SchemaObject], _ db: Database
  ) throws -> [(object: SchemaObject, fault: Fault)] {
    let found = try objects.compactMap { object in
      try fault(of: object, db).map { (object: object, fault: $0) }
    }
    return try alone(found, db).filter(\.fault.isOfSchema)
  }

  /// Judges each of the views and triggers that cannot be used by itself, on a copy of the schema.
  ///
  /// SQLite compiles a trigger together with all others that the same statement fires, directly or not, and reports the first
  /// fault; and a missing function hides other faults.
  package static func alone(
    _ found: [(object: SchemaObject, fault: Fault)], _ db: Database
  ) throws -> [(object: SchemaObject, fault: Fault)] {
    guard found.contains(where: { $0.object.kind == .trigger || $0.object.kind == .view }) else { return found }
    return try db.withSchemaCopy { copy, gaps in
      for trigger in try copy.connection.schema().objects where trigger.kind == .trigger {
        try copy.execute(sql: "DROP TRIGGER main.\(trigger.name.quotedIdentifier)")
      }
      return try found.compactMap { object, fault in
        let isMissing = gaps.contains {
          if case .object(object.kind, object.name, _) = $0 { true } else { false }
        }
        guard !isMissing, object.kind == .trigger || object.kind == .view else { return (object, fault) }
        if object.kind == .trigger { try copy.execute(sql: object.sql ?? "") }
        let alone = try faultApartFromRoutines(of: object, copy)
        if object.kind == .trigger { try copy.execute(sql: "DROP TRIGGER main.\(object.name.quotedIdentifier)") }
        guard let alone else { return nil }
        return (object, gaps.contains { $0.names(objectIn: alone.reason) } ? fault : alone)
      }
    }
  }

  /// Returns the reason why an object cannot be used, apart from functions and collations that only an app has; the first of
  /// these if there is no other.
  private static func faultApartFromRoutines(of object: SchemaObject, _ copy: Database) throws -> Fault? {
    var (first, standIns): (Fault?, Set<String>) = (nil, [])
    while let fault = try fault(of: object, copy) {
      // For example, a stand-in is no window function.
      guard !standIns.contains(where: { fault.reason.asciiLowercased.contains($0) }) else { return first }
      guard fault.isOfConnection else { return fault }
      first = first ?? fault
      guard let name = try addStandIn(for: fault.reason, copy) else { return first }
      standIns.insert(name.asciiLowercased)
    }
    return first
  }

  /// Adds the function or collation that a message says is missing, and returns its name; nil if the message is another one, or
  /// if the engine cannot call code of the app.
  private static func addStandIn(for message: String, _ copy: Database) throws -> String? {
    for (prefix, routine) in SQLRoutine.missing {
      guard let range = message.firstRange(of: prefix) else { continue }
      let name = String(message[range.upperBound...].prefix { $0 != "(" })
      let added: Void? = try DatabaseError.ifPossible {
        switch routine {
        case .function: try copy.add(function: DatabaseFunction(name, pure: true) { _ in nil })
        case .collation: try copy.add(collation: DatabaseCollation(name) { _, _ in .orderedSame })
        case .tokenizer, .module: throw error(message, copy)
        }
      }
      return added.map { name }
    }
    return nil
  }

  /// Returns the reason why an object, or an expression in its definition, cannot be used; nil if it can.
  ///
  /// Changes nothing, also on a connection that can write.
  package static func fault(of object: SchemaObject, _ db: Database) throws -> Fault? {
    do {
      switch object.kind {
      case .view:
        // A plan shows more faults than reading the columns does.
        guard try canBePlanned(object, db) else {
          _ = try db.connection.columns(in: object.name)
          return nil
        }
        _ = try db.connection.prepare("SELECT * FROM main.\(object.name.quotedIdentifier)", utf8Offset: 0)
      case .trigger:
        guard let statement = try statement(firing: object, db) else { return nil }
        _ = try db.connection.prepare(statement, utf8Offset: 0)
      case .table where object.isVirtual:
        _ = try db.connection.prepare("SELECT 1 FROM main.\(object.name.quotedIdentifier)", utf8Offset: 0)
        guard let table = FullTextTable(object) else {
          // A table such as fts5vocab looks for its own table when it is read.
          _ = try Int.fetchOne(db, sql: "SELECT 1 FROM main.\(object.name.quotedIdentifier) LIMIT 1")
          return nil
        }
        if let content = table.content { try checkColumns(of: object.name, in: content, rowID: table.rowID, db) }
      case .table:
        try checkDefaults(of: object, db)
        try checkLoops(of: object, db)
        try checkTimes(of: object, db)
      case .index: try checkTimes(of: object, db)
      }
      return nil
    } catch let error as DatabaseError where !error.concernsEverything {
      return Fault(error, object)
    }
  }

  /// Whether a query of a view can be planned in a short time: its size doubles with each view that names another one twice.
  private static func canBePlanned(_ view: SchemaObject, _ db: Database) throws -> Bool {
    var open = [view]
    for _ in 0..<100 {
      guard let next = open.popLast() else { return true }
      guard let sql = next.sql, let syntax = try? SQLTree(parsing: sql), case .createView = syntax.statement else {
        continue
      }
      for use in SQLNames(in: syntax).uses where use.isOfStoredRows {
        if let used = try db.relation(named: use.name.value), used.kind == .view { open.append(used) }
      }
    }
    return false
  }

  /// Throws an error if the engine cannot compute a default: it compiles the expression only for an INSERT that needs it.
  private static func checkDefaults(of table: SchemaObject, _ db: Database) throws {
    guard let sql = table.sql, sql.holdsWord("default"), let syntax = try? SQLTree(parsing: sql),
      case .createTable(let definition) = syntax.statement
    else { return }
    for column in definition.columns {
      for case .defaultValue(let value) in column.constraints.map(\.kind) {
        let text = syntax.source.text(of: value.tokens)
        guard text.hasPrefix("(") else { continue }
        do throws(DatabaseError) { _ = try db.connection.prepare("SELECT \(text)", utf8Offset: 0) } catch {
          throw self.error("the default of column \"\(column.name.value)\": \(error.message)", db)
        }
      }
    }
  }

  /// Throws an error if generated columns of a table need each other: the engine notices it when a row is read or written
  /// (https://www.sqlite.org/gencol.html).
  private static func checkLoops(of table: SchemaObject, _ db: Database) throws {
    guard let sql = table.sql, sql.holdsWord("as") else { return }
    do throws(DatabaseError) {
      _ = try db.connection.prepare(
        "EXPLAIN INSERT INTO main.\(table.name.quotedIdentifier) DEFAULT VALUES", utf8Offset: 0)
    } catch {
      // Any other fault is that of a function or a trigger.
      if error.message.hasPrefix("generated column loop") { throw error }
    }
  }

  /// Throws an error if a definition uses the current time, or the time zone, where the result must always be the same: the
  /// engine notices it at the first row (https://www.sqlite.org/deterministic.html).
  private static func checkTimes(of object: SchemaObject, _ db: Database) throws {
    guard let sql = object.sql, SQLSource.timeFunctions.contains(where: sql.holdsWord),
      let syntax = try? SQLTree(parsing: sql)
    else { return }
    for (expression, place) in syntax.statement.lastingExpressions {
      guard let name = syntax.source.functionOfCurrentTime(in: expression.tokens),
        // SQLite computes it before 3.20; it has upserts since 3.24.
        db.engine.abilities.contains(.upsert)
      else { continue }
      throw error("non-deterministic use of \(name)() in \(place)", db)
    }
  }

  /// Throws an error if the table with the content of a full-text table does not exist, or lacks one of its columns: queries read
  /// the content only for the rows that they return, so that the engine notices it late.
  private static func checkColumns(of table: String, in content: String, rowID: String, _ db: Database) throws {
    guard let found = try db.connection.columns(in: content) else {
      throw error("it reads its rows from table \"\(content)\", which does not exist", db)
    }
    let names = Set(found.map(\.name.asciiLowercased))
    let lacking = try db.connection.columns(in: table)?.first {
      !$0.isHidden && !names.contains($0.name.asciiLowercased)
    }
    if let lacking { throw error(content, lacking.name, db) }
    // A name with its table is not read as a string if there is no such column.
    let query = "SELECT content.\(rowID.quotedIdentifier) FROM main.\(content.quotedIdentifier) AS content"
    do throws(DatabaseError) {
      _ = try db.connection.prepare(query, utf8Offset: 0)
    } catch {
      throw error.message.hasPrefix("no such column: content.") ? self.error(content, rowID, db) : error
    }
  }

  private static func error(_ content: String, _ column: String, _ db: Database) -> DatabaseError {
    error("its content, table \"\(content)\", has no column \"\(column)\"", db)
  }

  private static func error(_ message: String, _ db: Database) -> DatabaseError {
    DatabaseError(.statement, engine: db.engine.name, message: message)
  }

  /// Returns a statement with which a trigger is compiled; nil for other objects, and for triggers that cannot be parsed.
  static func statement(firing object: SchemaObject, _ db: Database) throws -> String? {
    guard object.kind == .trigger, let sql = object.sql, let syntax = try? SQLTree(parsing: sql),
      case .createTrigger(let definition) = syntax.statement
    else { return nil }
    let table = object.tableName.quotedIdentifier
    // SQLite compiles a trigger together with a statement that fires it; EXPLAIN does not execute the statement.
    switch definition.event {
    case .delete: return "EXPLAIN DELETE FROM \(table)"
    case .insert: return "EXPLAIN INSERT INTO \(table) DEFAULT VALUES"
    case .update(let columns):
      // A broken view has no columns, and its triggers do not compile either.
      let all = try DatabaseError.ifPossible { try db.connection.columns(in: object.tableName) } ?? nil
      let generated = Set((all ?? []).filter(\.isGenerated).map(\.name.asciiLowercased))
      let column =
        columns.first { !generated.contains($0.folded) }?.value ?? all?.first { !$0.isGenerated && !$0.isHidden }?.name
      let quoted = (column ?? "rowid").quotedIdentifier
      return "EXPLAIN UPDATE \(table) SET \(quoted) = \(quoted)"
    }
  }
}

/// A full-text table, and the table or view whose rows it indexes by rowid
/// (https://www.sqlite.org/fts5.html#external_content_tables).
package struct FullTextTable {
  /// The name of the module, in lower case.
  package let module: String
  /// The name of the table or view with the content; nil for a table that stores its content, or none.
  package var content: String? { contentPlace?.table }
  /// The content table, and the token that names it.
  let contentPlace: (table: String, token: Int)?
  /// The column of the content table that has the rowids.
  package let rowID: String

  /// Reads the definition of a virtual table; nil for other objects.
  package init?(_ object: SchemaObject) {
    guard object.isVirtual, let sql = object.sql, let syntax = try? SQLTree(parsing: sql),
      case .createVirtualTable(let table) = syntax.statement
    else { return nil }
    self.init(table, syntax.source)
  }

  init?(_ virtual: SQLCreateVirtualTable, _ source: SQLSource) {
    module = virtual.module.folded
    guard ["fts3", "fts4", "fts5"].contains(module) else { return nil }
    // If the name is empty, the full-text table is contentless.
    contentPlace = virtual.fullTextContent(source).flatMap { $0.table.isEmpty ? nil : $0 }
    rowID = virtual.fullTextRowID(source) ?? "rowid"
  }
}

extension SQLTree.Statement {
  /// The expressions of a table or an index whose results must always be the same, each with the name that the engine gives to
  /// its place.
  fileprivate var lastingExpressions: [(SQLExpression, place: String)] {
    switch self {
    case .createTable(let table):
      table.columns.flatMap(\.constraints).compactMap { constraint in
        switch constraint.kind {
        case .generated(let value, _): (value, "a generated column")
        case .check(let condition, _): (condition, "a CHECK constraint")
        default: nil
        }
      }
        + table.constraints.compactMap { constraint in
          if case .check(let condition, _) = constraint.kind { (condition, "a CHECK constraint") } else { nil }
        }
    case .createIndex(let index):
      (index.columns.map(\.expression) + [index.condition].compactMap(\.self)).map { ($0, "an index") }
    default: []
    }
  }
}

extension SQLSource {
  /// The functions of dates and times (https://www.sqlite.org/lang_datefunc.html).
  fileprivate static let timeFunctions = [
    "date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch",
  ]

  /// Returns the first function among some tokens whose result depends on the current time or the time zone; nil if there is
  /// none.
  fileprivate func functionOfCurrentTime(in range: Range<Int>) -> String? {
    range.first { index in
      guard Self.timeFunctions.contains(where: tokens[index].spells), token(index + 1)?.isOperator("(") ?? false,
        let end = closing(of: index + 1)
      else { return false }
      let arguments = arguments(in: index + 2..<end)
      let times = tokens[index].folded == "timediff" ? 2 : 1
      // Without a time, the functions take the current one.
      let values = tokens[index].folded == "strftime" ? arguments.dropFirst() : arguments[...]
      return values.isEmpty || values.prefix(times).contains { ["now", "subsec", "subsecond"].contains($0) }
        || values.dropFirst(times).contains { ["localtime", "utc"].contains($0) }
    }.map { tokens[$0].folded }
  }

  /// Returns the arguments of a function: a literal in lower case, without quotes, and nil for any other expression.
  private func arguments(in range: Range<Int>) -> [String?] {
    guard !range.isEmpty else { return [] }
    var (result, depth): ([[Int]], Int) = ([[]], 0)
    for index in range {
      if tokens[index].isOperator("(") { depth += 1 }
      if tokens[index].isOperator(")") { depth -= 1 }
      if depth == 0, tokens[index].isOperator(",") { result.append([]) } else { result[result.count - 1].append(index) }
    }
    return result.map { $0.count == 1 && tokens[$0[0]].kind == .string ? tokens[$0[0]].folded : nil }
  }
}
