internal import SQLSyntax

/// What the `-- migrator:` comments of a file ask for.
///
/// A directive stands in a comment of any sort, on any line of the forward part. What is not understood is a problem, never
/// ignored: `no-transactoin` must not run inside a transaction.
struct MigrationDirectives: Equatable {
  /// From `foreign-keys immediate` or `foreign-keys deferred`.
  private(set) var foreignKeyMode: MigrationFile.ForeignKeyMode?
  /// From `merges A B`; several lines add up.
  private(set) var merges: [String] = []
  /// From `no-transaction`.
  private(set) var asksForNoTransaction = false
  /// From `allow RULE reason` and `allow-file RULE reason`.
  private(set) var allowances: [MigrationFile.Allowance] = []
  /// What cannot be followed.
  private(set) var problems: [MigrationProblem] = []

  /// True for the content of a comment that is a directive, or was meant to be one.
  static func isDirective(_ content: String) -> Bool {
    content.prefix(8).lowercased() == "migrator"
  }

  /// Reads the directives of a file, shown as `path`, from its comments in their order.
  init(_ comments: [ScriptComment], path: String) {
    for comment in comments where Self.isDirective(comment.content) {
      if let problem = read(comment) {
        problems.append(MigrationProblem(problem, path: path, position: comment.position))
      }
    }
  }

  private mutating func read(_ comment: ScriptComment) -> MigrationProblem.Kind? {
    let rest = comment.content.dropFirst(8).drop { $0.isWhitespace }
    guard rest.first == ":" else { return Self.missingColon(rest) }
    let parts = rest.dropFirst().split(maxSplits: 1) { $0.isWhitespace }
    let name = parts.first.map(String.init) ?? ""
    let argument = parts.dropFirst().first?.trimmingBlanks ?? ""
    switch name {
    case "foreign-keys": return readForeignKeys(argument)
    case "merges": return readMerges(argument)
    case "allow", "allow-file": return readAllowance(name, argument, line: comment.position.line)
    case "no-transaction":
      guard argument.isEmpty else { return .invalidDirective(name, .argument) }
      asksForNoTransaction = true
      return nil
    default: return .unknownDirective(name)
    }
  }

  private mutating func readForeignKeys(_ argument: String) -> MigrationProblem.Kind? {
    guard let mode = MigrationFile.ForeignKeyMode(rawValue: argument) else {
      return .invalidDirective("foreign-keys", .argument)
    }
    guard foreignKeyMode == nil || foreignKeyMode == mode else {
      return .invalidDirective("foreign-keys", .contradiction)
    }
    foreignKeyMode = mode
    return nil
  }

  private mutating func readMerges(_ argument: String) -> MigrationProblem.Kind? {
    let identifiers = Self.identifiers(in: argument)
    guard !identifiers.isEmpty else { return .invalidDirective("merges", .argument) }
    for identifier in identifiers where !merges.contains(identifier) { merges.append(identifier) }
    return nil
  }

  private mutating func readAllowance(_ name: String, _ argument: String, line: Int) -> MigrationProblem.Kind? {
    guard let allowance = MigrationFile.Allowance(argument, line: line, coversFile: name == "allow-file") else {
      return .invalidDirective(name, .argument)
    }
    allowances.append(allowance)
    return nil
  }

  /// A comment such as `migrator no-transaction` lacks its colon; one such as `migrator is great` is prose.
  private static func missingColon(_ rest: Substring) -> MigrationProblem.Kind? {
    let word = String(rest.prefix { !$0.isWhitespace })
    return DirectiveUsage.usage(of: word) == nil ? nil : .invalidDirective(word, .missingColon)
  }

  /// The identifiers of a text, separated by blanks or commas; "double quotes" keep one with blanks together.
  private static func identifiers(in text: String) -> [String] {
    var identifiers: [String] = []
    var identifier = ""
    var isQuoted = false
    for character in text {
      if character == "\"" {
        isQuoted.toggle()
      } else if !isQuoted, character.isWhitespace || character == "," {
        if !identifier.isEmpty { identifiers.append(identifier) }
        identifier = ""
      } else {
        identifier.append(character)
      }
    }
    if !identifier.isEmpty { identifiers.append(identifier) }
    return identifiers
  }
}
