extension SourceFile {
  /// A function, initializer or computed property, with its first and last line.
  struct Function {
    let name: String
    let lines: ClosedRange<Int>
  }

  /// The functions of the file, closures and functions inside of others aside, which count as part of them.
  var functions: [Function] {
    var functions: [Function] = []
    var index = 0
    while index < tokens.count {
      guard let body = body(ofFunctionAt: index), let end = closing(body) else {
        index += 1
        continue
      }
      functions.append(Function(name: name(at: index), lines: tokens[index].line...tokens[end].line))
      index = end + 1
    }
    return functions
  }

  private var isC: Bool { path.hasSuffix(".c") || path.hasSuffix(".h") }

  /// The index of the brace that opens the body of the function that begins at a token; nil when none begins there, or it
  /// has no body.
  private func body(ofFunctionAt index: Int) -> Int? {
    // In C a body follows a list of parameters outside of all braces; declarations inside of `struct` have none.
    if isC { return isCFunction(at: index) ? tokens[index...].firstIndex { $0.text == "{" } : nil }
    switch tokens[index].text {
    case "func", "init", "deinit", "subscript": break
    case "var": return computation(of: index)
    default: return nil
    }
    guard index == 0 || tokens[index - 1].text != "." else { return nil }
    var depth = 0
    var position = index + 1
    while position < tokens.count {
      switch tokens[position].text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return position
      // A requirement of a protocol has no body: what comes next ends it.
      case "func", "init", "deinit", "subscript", "var", "let", "case", "static", "struct", "}":
        if depth <= 0 { return nil }
      default: break
      }
      if depth < 0 { return nil }
      position += 1
    }
    return nil
  }

  /// The brace of a computed property, which follows its type on the same line.
  private func computation(of index: Int) -> Int? {
    let line = tokens[index...].prefix { $0.line == tokens[index].line }
    guard let brace = line.firstIndex(where: { $0.text == "{" }) else { return nil }
    return line[..<brace].contains { $0.text == "=" } ? nil : brace
  }

  private func isCFunction(at index: Int) -> Bool {
    guard tokens[index].text == ")", index + 1 < tokens.count else { return false }
    return tokens[index + 1].text == "{"
  }

  private func name(at index: Int) -> String {
    if isC {
      let opening = tokens[..<index].lastIndex { $0.text == "(" } ?? index
      return String(tokens[max(0, opening - 1)].text)
    }
    let word = tokens[index].text
    return word == "func" || word == "var" ? String(tokens[index + 1].text) : String(word)
  }

  /// The index of the brace that closes the one at an index.
  private func closing(_ opening: Int) -> Int? {
    var depth = 0
    for index in opening..<tokens.count {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}
