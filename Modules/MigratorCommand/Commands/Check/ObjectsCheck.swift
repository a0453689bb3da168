internal import Migrator
internal import MigratorLint
internal import SQLSyntax

/// The check of `verify` that the views, triggers, virtual tables and foreign keys of a database can be used.
struct ObjectsCheck {
  /// The largest database whose full-text tables are copied to memory, for their own integrity check.
  private static let largestCopyInBytes: Int64 = 256 << 20

  private let db: Database
  private let objects: [SchemaObject]
  private var faults: [String] = []
  /// The objects that could not be checked, with the reasons.
  private var omissions: [String] = []

  static let check = ToolCheck(name: "objects") { db in
    var check = ObjectsCheck(db, objects: try db.connection.schema().objects)
    return try check.outcome()
  }

  private init(_ db: Database, objects: [SchemaObject]) { (self.db, self.objects) = (db, objects) }

  private mutating func outcome() throws -> ToolCheck.Outcome {
    // The engine reads the storage of virtual tables when it opens them, and storage of unknown origin must not call
    // functions: only after all are open can the schema be trusted.
    let opensAll = try objects.allSatisfy { try !$0.isVirtual || ObjectProbe.fault(of: $0, db) == nil }
    var found: [(object: SchemaObject, fault: ObjectProbe.Fault)] = []
    for object in objects {
      var fault = try ObjectProbe.fault(of: object, db)
      if opensAll, fault?.isOfDistrust ?? false { fault = try trusting { try ObjectProbe.fault(of: object, db) } }
      if let fault { found.append((object, fault)) }
      if fault == nil, let table = FullTextTable(object) { try check(table, object) }
      if fault == nil, object.isVirtual { try checkTree(object) }
    }
    for (object, fault) in try ObjectProbe.alone(found, db) {
      note("\(object.kind.rawValue) \"\(object.name)\": \(fault.reason)", isOmission: fault.isOfConnection)
    }
    for table in objects where table.kind == .table && !table.isVirtual && !table.isShadow {
      let keys = try DatabaseError.ifPossible { try db.keysWithoutParent(of: [table.name]) } ?? []
      faults += keys.map(\.description)
    }
    guard faults.isEmpty else { return .failed(faults + omissions.map { "not checked: \($0)" }) }
    guard omissions.isEmpty else { return .skipped("this program cannot check \(listed(omissions))") }
    return .passed("views, triggers, virtual tables and foreign keys can be used")
  }

  /// Prepares statements on a connection that trusts the schema, as the app's does.
  ///
  /// Before SQLite 3.41, only such a connection can use full-text tables and R-trees in triggers and views. No statement
  /// runs.
  private func trusting<Value>(_ body: () throws -> Value) throws -> Value {
    // Engines before 3.31 trust every schema, and return no row.
    guard try Int.fetchOne(db, sql: "PRAGMA trusted_schema") == 0 else { return try body() }
    try db.execute(sql: "PRAGMA trusted_schema = ON")
    let result = Result { try body() }
    try db.execute(sql: "PRAGMA trusted_schema = OFF")
    return try result.get()
  }

  private mutating func note(_ text: String, isOmission: Bool) {
    if isOmission { omissions.append(text) } else { faults.append(text) }
  }

  /// Checks an R-tree (https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function).
  private mutating func checkTree(_ object: SchemaObject) throws {
    guard case .createVirtualTable(let table)? = object.syntax?.statement,
      ["rtree", "rtree_i32"].contains(table.module.folded)
    else { return }
    // Engines before 3.24 have no such function.
    let answer = try DatabaseError.ifPossible {
      try String.fetchOne(db, sql: "SELECT rtreecheck('main', ?)", arguments: [object.name])
    }
    if let answer = answer ?? nil, answer != "ok" {
      note("R-tree \"\(object.name)\": \(answer.split(separator: "\n").first ?? "")", isOmission: false)
    }
  }

  // MARK: Full-text tables

  private func pageSizeInBytes() throws -> Int64 {
    switch try DatabaseValue.fetchOne(db, sql: "PRAGMA main.page_size") {
    case .integer(let size): size
    // SQLCipher answers for the engine, with a text.
    case .text(let size): Int64(size) ?? 4096
    default: 4096
    }
  }

  private mutating func check(_ table: FullTextTable, _ object: SchemaObject) throws {
    let title = "full-text table \"\(object.name)\""
    let pageCount = try Int64.fetchOne(db, sql: "PRAGMA main.page_count") ?? 0
    guard try pageCount * pageSizeInBytes() <= Self.largestCopyInBytes else {
      return note("\(title): the database is too large to be copied to memory", isOmission: true)
    }
    // The check of the module is a statement that writes, and so runs on a copy.
    let fault = try db.withScratch(label: "full-text table") { scratch in
      try scratch.writeWithoutTransaction { copy in
        do {
          return try copy.withoutForeignKeys { try self.fault(of: table, object, in: copy) }
        } catch let error as DatabaseError where !error.concernsEverything {
          return CopyFault(error.message, isOmission: error.condition != .corrupt)
        }
      }
    }
    if let fault { note("\(title): \(fault.reason)", isOmission: fault.isOmission) }
  }

  /// The result of the check of a copy.
  private struct CopyFault {
    let reason: String
    /// Whether the copy could not be checked.
    let isOmission: Bool

    init(_ reason: String, isOmission: Bool = false) { (self.reason, self.isOmission) = (reason, isOmission) }
  }

  private func contents(of table: FullTextTable) -> [SchemaObject] {
    objects.filter { $0.kind == .table && table.content?.asciiLowercased == $0.name.asciiLowercased }
  }

  private func fault(of table: FullTextTable, _ object: SchemaObject, in copy: Database) throws -> CopyFault? {
    // The encoding decides how the module reads BLOBs (https://www.sqlite.org/pragma.html#pragma_encoding).
    let encoding = try String.fetchOne(db, sql: "PRAGMA main.encoding") ?? "UTF-8"
    if try String.fetchOne(copy, sql: "PRAGMA main.encoding") != encoding {
      try copy.execute(sql: "PRAGMA main.encoding = '\(encoding)'")
    }
    let contents = contents(of: table)
    if table.content != nil, contents.isEmpty { return CopyFault("its content is a view", isOmission: true) }
    // Rows that violate constraints are another check's.
    try copy.execute(sql: "PRAGMA ignore_check_constraints = ON")
    for content in contents {
      guard let sql = content.sql, !content.isVirtual else {
        return CopyFault("its content is a virtual table", isOmission: true)
      }
      try copy.execute(sql: sql)
      guard try copy.replaceRows(of: content.name, from: db) == 0 else {
        return CopyFault("the rows of its content violate constraints", isOmission: true)
      }
    }
    let storage = VirtualTableStorage(of: object.name, among: objects)
    var fault: CopyFault?
    try copy.inTransaction {
      try copy.execute(sql: object.sql ?? "")
      let present = Set(storage.parts.map(\.asciiLowercased))
      let parts = VirtualTableStorage(of: object.name, among: try copy.connection.schema().objects).parts
      if let missing = parts.first(where: { !present.contains($0.asciiLowercased) }) {
        fault = CopyFault("its table \"\(missing)\" is missing")
      } else if let reason = try copy.replaceStorage(storage, from: db) {
        fault = CopyFault(reason, isOmission: true)
      }
      return .commit
    }
    if let fault { return fault }
    guard let content = contents.first else {
      try copy.execute(sql: Self.integrityCheck(of: object.name))
      return nil
    }
    return try self.fault(of: table, object.name, content.name, storage, in: copy)
  }

  private static func integrityCheck(of table: String) -> String {
    "INSERT INTO \(table.quotedIdentifier) (\(table.quotedIdentifier)) VALUES ('integrity-check')"
  }

  /// Compares an index in a copy with the content of another table, of which an app may have indexed some rows only.
  private func fault(
    of table: FullTextTable, _ name: String, _ content: String, _ storage: VirtualTableStorage, in copy: Database
  ) throws -> CopyFault? {
    let sizes = storage.parts.first { $0.asciiLowercased == name.asciiLowercased + "_docsize" }
    if let sizes {
      let rowID = "\(content.quotedIdentifier).\(table.rowID.quotedIdentifier)"
      try copy.execute(
        sql: "DELETE FROM main.\(content.quotedIdentifier) WHERE \(rowID) NOT IN "
          + "(SELECT rowid FROM main.\(sizes.quotedIdentifier))")
    }
    let isIntact = { (sql: String) in
      do {
        try copy.execute(sql: sql)
        return true
      } catch let error as DatabaseError where error.condition == .corrupt {
        return false
      }
    }
    // The rank makes newer versions of FTS5 compare the index with the content, as FTS4 and older versions always do
    // (https://www.sqlite.org/fts5.html#the_integrity_check_command).
    let quoted = name.quotedIdentifier
    let comparison =
      table.module == "fts5"
      ? "INSERT INTO \(quoted) (\(quoted), rank) VALUES ('integrity-check', 1)" : Self.integrityCheck(of: name)
    if try isIntact(comparison) { return nil }
    let isIntactItself = try isIntact(Self.integrityCheck(of: name))
    guard sizes != nil else {
      return CopyFault("it does not record which rows it has, so they cannot be compared", isOmission: true)
    }
    return CopyFault(
      isIntactItself ? "its index differs from its content" : "its index is damaged, or differs from its content")
  }
}
