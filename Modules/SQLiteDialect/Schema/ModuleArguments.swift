internal import Migrator

/// The module of a virtual table and its arguments: options, `name = value`, and columns.
///
/// https://www.sqlite.org/lang_createvtab.html
struct ModuleArguments {
  /// The module's name in lower case, which stands behind the first USING; empty for text that names none.
  private(set) var module = ""

  /// The options in their order: names in lower case, values without quotes.
  private(set) var options: [(name: String, value: String)] = []

  /// The words behind the names of columns, in lower case.
  private(set) var columnWords: Set<String> = []

  /// Reads the statement that made the table.
  init(_ sql: String) {
    let tokenizer = SQLTokenizer(sql)
    let tokens = tokenizer.filter { !$0.isTrivia }
    let isUsing = { (token: SQLToken) in token.kind == .word && tokenizer.text(of: token).asciiLowercased == "using" }
    guard let using = tokens.firstIndex(where: isUsing), using + 1 < tokens.count else { return }
    module = SQLIdentifier.unquoted(tokenizer.text(of: tokens[using + 1])).asciiLowercased
    var depth = 0
    var argument: [SQLToken] = []
    for token in tokens[(using + 2)...] {
      switch (tokenizer.text(of: token), depth) {
      case ("(", 0): depth = 1
      case (",", 1), (")", 1):
        add(argument, tokenizer)
        argument = []
        if tokenizer.text(of: token) == ")" { return }
      case (let text, _):
        if text == "(" { depth += 1 } else if text == ")" { depth -= 1 }
        argument.append(token)
      }
    }
  }

  private mutating func add(_ argument: [SQLToken], _ tokenizer: SQLTokenizer) {
    guard argument.count > 1 else { return }
    guard argument[0].kind == .word, tokenizer.text(of: argument[1]) == "=" else {
      columnWords.formUnion(argument.dropFirst().map { Self.unquoted(tokenizer.text(of: $0)).asciiLowercased })
      return
    }
    let value = argument.dropFirst(2).map { tokenizer.text(of: $0) }.joined(separator: " ")
    options.append((tokenizer.text(of: argument[0]).asciiLowercased, Self.unquoted(value)))
  }

  /// Modules take quotes of each kind.
  private static func unquoted(_ value: String) -> String {
    guard let quote = value.first, "'\"`[".contains(quote), value.count > 1 else { return value }
    return String(value.dropFirst().dropLast())
  }
}
