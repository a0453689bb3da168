extension SourceFile {
  /// A function, initializer or computed property, with its first and last line.
  struct Function {
    let name: String
    let lines: ClosedRange<Int>
  }

  /// The functions of the file, without closures and nested functions, which are part of the enclosing function.
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

  /// Returns the index of the opening brace of the body of the function that begins at a token; nil if no function
  /// begins there, or it has no body.
  private func body(ofFunctionAt index: Int) -> Int? {
    // In C, a body follows a parameter list outside all braces; declarations inside `struct` have none.
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
      // A protocol requirement has no body: the next declaration ends it.
      case "func", "init", "deinit", "subscript", "var", "let", "case", "static", "struct", "}":
        if depth <= 0 { return nil }
      default: break
      }
      if depth < 0 { return nil }
      position += 1
    }
    return nil
  }

  /// Returns the brace of a computed property, which follows its type on the same line.
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

  /// Returns the index of the brace that closes the one at an index.
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
