internal import SQLSyntax

/// The parameters of a statement, numbered as SQLite does (https://www.sqlite.org/lang_expr.html#varparam).
struct StatementParameters {
  /// The names without their prefixes; nil for `?` and `?1`.
  private(set) var names: [String?] = []
  /// The place of each parameter in the text, and its number from zero, in the order of the text.
  private var uses: [(range: Range<Int>, index: Int)] = []
  private let sql: String

  init(of sql: String) {
    self.sql = sql
    let tokenizer = SQLTokenizer(sql)
    // By bytes, as SQLite compares names.
    var numbers: [[UInt8]: Int] = [:]
    for token in tokenizer where token.kind == .variable {
      let text = tokenizer.text(of: token)
      let index: Int
      if text == "?" {
        index = names.count
      } else if text.first == "?" {
        // SQLite rejects numbers that are out of range when it compiles the statement.
        index = min(max((Int(text.dropFirst()) ?? 1) - 1, 0), 32_765)
      } else {
        let name = Array(text.utf8)
        index = numbers[name] ?? names.count
        numbers[name] = index
      }
      while names.count <= index { names.append(nil) }
      if text.first != "?" { names[index] = String(text.unicodeScalars.dropFirst()) }
      uses.append((token.range, index))
    }
  }

  /// Returns the statement with some of its parameters cast to text: text with a NUL is bound as a blob.
  func casting(_ indexes: Set<Int>) -> String {
    guard !indexes.isEmpty else { return sql }
    let bytes = Array(sql.utf8)
    var (result, end) = ([UInt8](), 0)
    for use in uses where indexes.contains(use.index) {
      result += bytes[end..<use.range.lowerBound] + Array("CAST(".utf8) + bytes[use.range] + Array(" AS TEXT)".utf8)
      end = use.range.upperBound
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }
}
