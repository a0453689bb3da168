import DqliteBackend
import Foundation
import Migrator
import SQLSyntax
import TestCluster
import TestEngines
import Testing

/// Statements of the tests and generated ones, sent through the backend to one node: it must survive each of them.
///
/// The normal suite sends 400 of each. MIGRATOR_SOAK=1 sends the whole corpus in 20 random orders, and 20,000 generated
/// statements.
@Suite("A node survives any statement that the backend sends")
struct GuardFuzzTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil

  /// Sends statements in groups, each to a new database.
  private func send(_ statements: [String], to cluster: TestCluster, _ generator: inout SeededGenerator) throws {
    var refused = 0
    for start in stride(from: 0, to: statements.count, by: 100) {
      let backend = Dqlite(addresses: cluster.addresses, database: "fuzz\(start)")
      let connection = try backend.connect(ConnectionOptions(busyTimeout: .zero))
      for sql in statements[start..<min(start + 100, statements.count)] {
        do {
          try run(sql, on: connection, &generator)
        } catch let error as DatabaseError where [.connectionLost, .outcomeUnknown].contains(error.condition) {
          Issue.record("\(error)\nafter: \(statements[start..<statements.count].prefix(100).joined(separator: ";\n"))")
          return
        } catch let error as DatabaseError where error.condition == .unsupported {
          refused += 1
        } catch is DatabaseError {
          // Any other error is the node's answer.
        }
        try #require(cluster.isComplete, "\(sql)")
      }
      try connection.close()
    }
    print("\(statements.count) statements, \(refused) refused")
  }

  /// Runs all statements of a text with random values, and reads up to 100 rows of each.
  private func run(
    _ sql: String, on connection: any DatabaseConnection, _ generator: inout SeededGenerator
  ) throws {
    var offset = 0
    while offset < sql.utf8.count {
      let preparation = try connection.prepare(sql, utf8Offset: offset)
      offset = preparation.endOffset
      guard let statement = preparation.statement else { return }
      let values: [DatabaseValue] = [.null, .integer(-1), .real(0.5), .text("a\0b"), .blob(Data([0, 255]))]
      for index in 0..<min(statement.parameterCount, 300) {
        try statement.bind(values.randomElement(using: &generator) ?? .null, at: index)
      }
      let count = statement.columnCount
      #expect(count == statement.columnNames.count, "\(sql)")
      let row = UnsafeMutableBufferPointer<ColumnValue>.allocate(capacity: count)
      defer { row.deallocate() }
      var rows = 0
      while rows < 100, try statement.step(into: row) { rows += 1 }
      statement.reset()
    }
  }

  @Test("The statements of this project's tests")
  func corpus() async throws {
    let tests = "\(BuiltEngines.packageRoot)/Tests"
    let paths = FileManager.default.enumerator(atPath: tests)?.compactMap { $0 as? String }.sorted() ?? []
    var statements: [String] = []
    let keyword =
      "(?:ALTER|ANALYZE|ATTACH|BEGIN|COMMIT|CREATE|DELETE|DETACH|DROP|EXPLAIN|INSERT|PRAGMA|REINDEX|RELEASE"
      + "|REPLACE|ROLLBACK|SAVEPOINT|SELECT|UPDATE|VACUUM|VALUES|WITH)"
    // Literals without escapes and interpolations, on one line or on several.
    let literals = try [#""(\#(keyword)\b[^"\\]*)""#, #""{3}\n\s*(\#(keyword)\b[^\\]*?)\n\s*"{3}"#].map {
      try Regex($0, as: (Substring, Substring).self)
    }
    for path in paths where path.hasSuffix(".sql") || path.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(tests)/\(path)", encoding: .utf8)
      if path.hasSuffix(".sql") {
        statements += ((try? SQLStatementSplitter.split(text)) ?? []).map(\.text)
      } else {
        statements += literals.flatMap { text.matches(of: $0).map { String($0.output.1) } }
      }
    }
    // Some tests interrupt queries without end, which nothing can stop on a node.
    statements.removeAll { $0.lowercased().contains("recursive") && !$0.lowercased().contains("limit") }
    #expect(statements.count > 2000)
    var generator = SeededGenerator.announced("the corpus")
    for _ in 0..<(Self.isLong ? 20 : 1) {
      let chosen = statements.shuffled(using: &generator).prefix(Self.isLong ? statements.count : 400)
      try send(Array(chosen), to: await TestCluster(nodeCount: 1), &generator)
    }
  }

  @Test("Generated statements")
  func generated() async throws {
    var generator = SeededGenerator.announced("the generated statements")
    let statements = (0..<(Self.isLong ? 20_000 : 400)).map { _ in Self.statement(&generator) }
    try send(statements, to: await TestCluster(nodeCount: 1), &generator)
  }

  private static func statement(_ generator: inout SeededGenerator) -> String {
    var text = forms.randomElement(using: &generator) ?? ""
    for _ in 0..<40 {
      guard let range = text.firstRange(of: /\{\w+\}/) else { break }
      let name = String(text[range].dropFirst().dropLast())
      text.replaceSubrange(range, with: parts[name]?.randomElement(using: &generator) ?? "1")
    }
    // Some statements are damaged.
    guard Int.random(in: 0..<8, using: &generator) == 0, let place = text.indices.randomElement(using: &generator)
    else { return text }
    let damage = ["", ";", "'", "/* ", "-- ", "(", "\"", " RETURNING * ", "?1", " LIMIT 1 ", "\n"]
    return text[..<place] + (damage.randomElement(using: &generator) ?? "") + text[place...].dropFirst()
  }

  private static let forms = [
    "CREATE TABLE {t} (a {type}, b {type}, {constraint})", "CREATE TABLE IF NOT EXISTS {t} (a {type} PRIMARY KEY, b)",
    "CREATE TEMP TABLE {t} AS {select}", "CREATE VIEW {v} AS {select}", "CREATE {temp} VIEW {v} AS {select}",
    "CREATE INDEX {i} ON {t} ({expr})", "CREATE UNIQUE INDEX {i} ON {t} (a) WHERE {expr}",
    "CREATE TRIGGER {i} AFTER {event} ON {t} BEGIN {change}; END", "CREATE VIRTUAL TABLE {v} USING {module}",
    "DROP TABLE {t}", "DROP VIEW IF EXISTS {v}", "DROP INDEX {i}", "ALTER TABLE {t} RENAME TO {t}",
    "ALTER TABLE {t} ADD COLUMN c {type}", "ALTER TABLE {t} RENAME COLUMN a TO b", "ALTER TABLE {t} DROP COLUMN b",
    "{change}", "{change} RETURNING {expr}", "{select}", "{select} ORDER BY 1 LIMIT {expr} OFFSET 0",
    "{select} UNION ALL {select}", "WITH x(a) AS ({select}) SELECT * FROM x", "WITH x AS ({select}) {change}",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT {expr}, i FROM n",
    "VALUES ({expr}, {expr}), ({expr}, {expr})", "EXPLAIN {select}", "EXPLAIN QUERY PLAN {change}",
    "EXPLAIN PRAGMA {pragma} = {value}", "PRAGMA {pragma}", "PRAGMA {pragma} = {value}", "PRAGMA {pragma}({value})",
    "PRAGMA {schema}.{pragma} = {value}", "pragma/**/{pragma}\n={value}", "PRAGMA \"{pragma}\" = '{value}'",
    "ATTACH {value} AS m", "ATTACH ':memory:' AS m", "ATTACH DATABASE ':memory:' AS m", "DETACH m", "VACUUM",
    "VACUUM INTO {value}", "VACUUM main", "ANALYZE", "REINDEX", "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT",
    "ROLLBACK", "SAVEPOINT {i}", "RELEASE {i}", "ROLLBACK TO {i}", "END", "{change}; {select}; {change}",
    "CREATE TABLE m.{t} (a {type}, b)", "SELECT load_extension({value})", "SELECT writefile({value}, 'x')",
    "SELECT fts3_tokenizer('simple', x'00')", "SELECT * FROM pragma_{pragma}({value})",
    "INSERT INTO sqlite_master VALUES ({expr}, {expr}, {expr}, {expr}, {expr})",
    "UPDATE sqlite_master SET sql = {value}", "DELETE FROM sqlite_master", "DELETE FROM sqlite_sequence",
    "INSERT INTO {v}({v}) VALUES ('rebuild')", "INSERT INTO {t} SELECT value, key FROM json_each('[1,[2],{}]')",
  ]

  private static let parts: [String: [String]] = [
    "t": ["t", "u", "m.t", "temp.t", "main.u", "sqlite_stat1", "\"t\"\"x\"", "[w w]"], "v": ["v", "w", "t"],
    "i": ["i", "j", "\"k k\""], "schema": ["main", "temp", "m"], "temp": ["TEMP", ""],
    "type": ["DATE", "DATETIME", "TIMESTAMP", "BOOLEAN", "TEXT", "INTEGER", "REAL", "BLOB", "", "NUMERIC", "date"],
    "constraint": [
      "CHECK (a > {expr})", "UNIQUE (a, b)", "FOREIGN KEY (a) REFERENCES u (a) ON DELETE CASCADE",
      "c AS ({expr}) STORED", "c DATE DEFAULT {expr}",
    ],
    "event": ["INSERT", "UPDATE OF a", "DELETE"],
    "module": ["fts5(a, b)", "fts4(a)", "rtree(i, x, y)", "dbstat", "nothing(a)", "fts5vocab(v, row)"],
    "change": [
      "INSERT INTO {t} VALUES ({expr}, {expr})", "INSERT OR REPLACE INTO {t} (a) VALUES ({expr})",
      "INSERT OR ROLLBACK INTO {t} (a) VALUES ({expr})", "UPDATE {t} SET a = {expr}", "UPDATE OR IGNORE {t} SET b = a",
      "DELETE FROM {t} WHERE a = {expr}", "DELETE FROM {t}", "REPLACE INTO {t} (b) VALUES ({expr})",
      "INSERT INTO {t} (a) VALUES ({expr}) ON CONFLICT DO UPDATE SET b = {expr}", "INSERT INTO {t} {select}",
    ],
    "select": [
      "SELECT * FROM {t}", "SELECT a, b FROM {t} WHERE {expr}", "SELECT {expr}, {expr}",
      "SELECT {expr} AS x FROM {t}, {v}",
      "SELECT a FROM (SELECT a, {expr} FROM {t})", "SELECT count(*), max({expr}) FROM {t} GROUP BY b",
      "SELECT sum(a) OVER (ORDER BY b) FROM {t}", "SELECT abs(a) FROM {t}", "SELECT *, rowid FROM {v}",
    ],
    "expr": [
      "1", "-9223372036854775808", "1.5e300", "NULL", "'text'", "x'00ff'", "?", "?3", ":name", "@x", "$y", "a", "b",
      "CAST('1' AS DATE)", "date('now')", "randomblob(2000)", "zeroblob(9000)", "hex(randomblob(3000))", "abs(-9e18)",
      "abs(-9223372036854775808)", "1/0", "'a' || char(0) || 'b'", "(SELECT max(a) FROM {t})", "json('{')",
      "CASE WHEN a THEN b END", "printf('%.*c', 5000, 'x')", "typeof(a)", "a COLLATE nocase", "EXISTS ({select})",
    ],
    "pragma": [
      "journal_mode", "page_size", "synchronous", "wal_checkpoint", "locking_mode", "wal_autocheckpoint", "cache_size",
      "cache_spill", "temp_store", "temp_store_directory", "data_store_directory", "mmap_size", "auto_vacuum",
      "incremental_vacuum", "encoding", "foreign_keys", "recursive_triggers", "query_only", "writable_schema",
      "schema_version", "user_version", "application_id", "table_info", "table_xinfo", "index_list", "integrity_check",
      "quick_check", "foreign_key_check", "optimize", "shrink_memory", "secure_delete", "max_page_count",
      "journal_size_limit", "legacy_file_format", "legacy_alter_table", "database_list", "compile_options",
      "function_list", "module_list", "collation_list", "threads", "soft_heap_limit", "hard_heap_limit", "busy_timeout",
      "read_uncommitted", "reverse_unordered_selects", "defer_foreign_keys", "ignore_check_constraints",
      "cell_size_check", "automatic_index", "case_sensitive_like", "count_changes", "empty_result_callbacks",
      "full_column_names", "short_column_names", "stats", "trusted_schema", "data_version", "freelist_count",
      "page_count", "lock_status", "vdbe_trace", "parser_trace", "wal_hook", "analysis_limit", "unknown",
    ],
    "value": [
      "1", "0", "-1", "ON", "OFF", "memory", "FILE", "delete", "wal", "truncate", "full", "'t'", "t", "'/tmp/none'",
      "'file:x?vfs=unix'", "''", "512", "65536", "1000000", "'UTF-16'", "exclusive", "main", "(1)", "NULL",
    ],
  ]
}
