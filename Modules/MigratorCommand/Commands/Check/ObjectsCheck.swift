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
    for object in objects {
      let fault = try ObjectProbe.fault(of: object, db)
      if let fault {
        note("\(object.kind.rawValue) \"\(object.name)\": \(fault.reason)", isOmission: fault.isOfConnection)
      }
      if fault == nil, let table = FullTextTable(object) { try check(table, object) }
      if fault == nil, object.isVirtual { try checkTree(object) }
    }
    for table in objects where table.kind == .table && !table.isVirtual && !table.isShadow {
      let keys = try DatabaseError.ifPossible { try db.keysWithoutParent(of: [table.name]) } ?? []
      faults += keys.map(\.description)
    }
    guard faults.isEmpty else { return .failed(faults + omissions.map { "not checked: \($0)" }) }
    guard omissions.isEmpty else { return .skipped("this program cannot check \(listed(omissions))") }
    return .passed("views, triggers, virtual tables and foreign keys can be used")
  }

  private mutating func note(_ text: String, isOmission: Bool) {
    if isOmission { omissions.append(text) } else { faults.append(text) }
  }

  /// Checks an R-tree (https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function).
  private mutating func checkTree(_ object: SchemaObject) throws {
    guard let sql = object.sql, case .createVirtualTable(let table)? = (try? SQLTree(parsing: sql))?.statement,
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
    if let content = table.content,
      !objects.contains(where: {
        $0.name.asciiLowercased == content.asciiLowercased && ($0.kind == .table || $0.kind == .view)
      })
    {
      return note("\(title) reads its rows from table \"\(content)\", which does not exist", isOmission: false)
    }
    let pageCount = try Int64.fetchOne(db, sql: "PRAGMA main.page_count") ?? 0
    guard try pageCount * pageSizeInBytes() <= Self.largestCopyInBytes else {
      return note("\(title): the database is too large to be copied to memory", isOmission: true)
    }
    // The check of the module is a statement that writes, and so runs on a copy.
    let (reason, isOmission) = try db.withScratch(label: "full-text table") { scratch in
      try scratch.writeWithoutTransaction { copy in
        do {
          return try copy.withoutForeignKeys { try check(table, object, in: copy) }
        } catch let error as DatabaseError where !error.concernsEverything {
          return (error.message, error.condition != .corrupt)
        }
      }
    }
    if let reason { note("\(title): \(reason)", isOmission: isOmission) }
  }

  private func check(_ table: FullTextTable, _ object: SchemaObject, in copy: Database) throws -> (String?, Bool) {
    let contents = objects.filter { content in
      content.kind == .table && table.content?.asciiLowercased == content.name.asciiLowercased
    }
    if table.content != nil, contents.isEmpty { return ("its content is a view", true) }
    for content in contents {
      guard let sql = content.sql, !content.isVirtual else { return ("its content is a virtual table", true) }
      try copy.execute(sql: sql)
      _ = try copy.replaceRows(of: content.name, from: db)
    }
    var reason: String?
    try copy.inTransaction {
      try copy.execute(sql: object.sql ?? "")
      reason = try copy.replaceStorage(VirtualTableStorage(of: object.name, among: objects), from: db)
      return .commit
    }
    if let reason { return (reason, true) }
    let name = object.name.quotedIdentifier
    // The rank makes newer versions of FTS5 compare the index with the content of another table, too
    // (https://www.sqlite.org/fts5.html#the_integrity_check_command).
    let isRanked = table.module == "fts5" && table.content != nil
    try copy.execute(
      sql: isRanked
        ? "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)"
        : "INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
    return (nil, false)
  }
}
