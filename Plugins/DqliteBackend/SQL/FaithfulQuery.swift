internal import Migrator
internal import SQLSyntax

/// Rewrites queries so that a node returns every value as it is stored.
///
/// A node of dqlite aborts when a column that is declared as DATE, DATETIME, TIMESTAMP or BOOLEAN contains a value of
/// another type, returns NULL in such a column as text or zero, and ends text at its first NUL. The values of an
/// expression have no declared type, and blobs are returned as they are.
enum FaithfulQuery {
  /// The first byte of a blob that stands for text.
  static let textMark = UInt8(ascii: "t")

  /// The number of columns whose names fit into one message; with more names, a node sends messages without end.
  static let mostColumns = 480

  /// The number of bytes for the names of columns in a message, each of which ends with a NUL and fills words of 8 bytes.
  private static let mostNameBytes = 4096 - 16

  /// Returns a query for the rows of `query`, in their order, with each text and each blob as a blob after a mark.
  ///
  /// The LIMIT makes SQLite compute each value once, and keep the order
  /// (https://www.sqlite.org/optoverview.html#flattening).
  static func wrapping(_ query: String, columnCount: Int) -> String {
    let names = (0..<columnCount).map { "c\($0)" }
    let values = names.map {
      """
      CASE typeof(\($0)) WHEN 'text' THEN CAST('t' || \($0) AS BLOB) WHEN 'blob' THEN CAST('b' || \($0) AS BLOB) \
      ELSE \($0) END AS \($0)
      """
    }
    return """
      WITH q(\(names.joined(separator: ", "))) AS (SELECT * FROM (\(query)
      ) LIMIT -1 OFFSET 0) SELECT \(values.joined(separator: ", ")) FROM q
      """
  }

  /// Returns a query that has the same columns as `query` and returns no rows.
  static func withoutRows(_ query: String) -> String {
    let tokenizer = SQLTokenizer(query)
    var (depth, limit) = (0, query.utf8.count)
    for token in tokenizer where token.kind == .operator || token.kind == .word {
      switch tokenizer.text(of: token).asciiLowercased {
      case "(": depth += 1
      case ")": depth -= 1
      case "limit" where depth == 0: limit = token.range.lowerBound
      default: break
      }
    }
    return String(decoding: query.utf8.prefix(limit), as: UTF8.self) + "\nLIMIT 0"
  }

  /// Returns a query for the columns of a query that accepts no LIMIT, such as VALUES.
  static func selectingNothing(from query: String) -> String { "SELECT * FROM (\(query)\n) LIMIT 0" }

  /// Returns whether the names of a query's columns certainly do not fit into one message.
  ///
  /// This is determined without sending the query: to stop messages without end, the connection must be closed, which ends
  /// a transaction, and dqlite 1.18.7 itself. Short queries with few columns are not examined, nor are joins that return
  /// common columns once.
  ///
  /// - Parameter columns: Returns the names of the columns of a table or view; nil if they are unknown.
  static func hasTooLongNames(
    _ query: String, columnCount: Int, columns: (String) throws(DatabaseError) -> [String]?
  ) throws(DatabaseError) -> Bool {
    guard columnCount > 30 || query.utf8.count > 3000, let tree = try? SQLTree(parsing: query),
      case .data = tree.statement, !StatementGuard.holds("natural", query), !StatementGuard.holds("using", query)
    else { return false }
    let names = SQLNames(in: tree)
    var relations = SQLRelations()
    for table in names.tables {
      relations.named[table.asciiLowercased] = .table(try columns(table)?.map(\.asciiLowercased))
    }
    var resolver = SQLColumnResolver(names, relations: relations)
    guard let results = try? resolver.columns(ofQuery: 0) else { return false }
    return results.reduce(0) { $0 + ($1.name.utf8.count / 8 + 1) * 8 } > mostNameBytes
  }
}
