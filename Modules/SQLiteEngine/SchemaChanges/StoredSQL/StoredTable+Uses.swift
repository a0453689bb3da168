internal import Migrator

extension StoredTable {
  /// What part of a table's definition uses a column.
  enum Use: Hashable {
    case name, primaryKey, unique, check, generated, foreignKey, ownForeignKey, foreignKeyToItself
  }

  /// The uses of a column in its table's own definition.
  struct Uses {
    /// The tokens that mean the column, with the use that each is part of.
    var tokens: [Int: Use] = [:]

    /// The uses that the definition of the column itself makes, such as its own UNIQUE.
    var own: Set<Use> = []

    /// Whether a token was found of which the meaning is not certain.
    var isUncertain = false
  }

  /// Finds the uses of a column, its name given in lower case.
  func uses(of column: String) -> Uses {
    var uses = Uses()
    let search = ColumnSearch(source: source, column: column, table: foldedName)
    for definition in columns {
      let isOwn = definition.name.asciiLowercased == column
      if isOwn { uses.tokens[definition.tokens.lowerBound] = .name }
      scan(definition.tokens.dropFirst(), isOwn: isOwn, isConstraint: false, search, &uses)
    }
    for constraint in constraints { scan(constraint, isOwn: false, isConstraint: true, search, &uses) }
    return uses
  }

  /// The foreign keys: the token of the parent's name, and the tokens of the list of its columns, empty without one.
  var references: [(parent: Int, columns: Range<Int>)] {
    // The word is reserved, and no expression of a table's definition has a use for it.
    body.compactMap { index in
      guard source.tokens[index].isWord("references"), index + 1 < body.upperBound else { return nil }
      return (index + 1, list(after: index + 1) ?? (index + 2)..<(index + 2))
    }
  }

  /// Follows the words of a column's definition or of table constraints, outside parentheses.
  private func scan(
    _ range: Range<Int>, isOwn: Bool, isConstraint: Bool, _ search: ColumnSearch, _ uses: inout Uses
  ) {
    var index = range.lowerBound
    while index < range.upperBound {
      let word = source.tokens[index].kind == .word ? source.tokens[index].folded : ""
      var list = list(after: index)
      var found: (use: Use, result: ColumnSearch.Result)?
      switch word {
      case "check": found = list.map { (.check, search.search(expression: $0)) }
      case "as": found = list.map { (.generated, search.search(expression: $0)) }
      case "key" where isConstraint:
        let isPrimary = source.token(index - 1)?.isWord("primary") == true
        found = list.map { (isPrimary ? .primaryKey : .foreignKey, search.search(list: $0)) }
      case "unique" where isConstraint: found = list.map { (.unique, search.search(list: $0)) }
      case "primary" where isOwn: uses.own.insert(.primaryKey)
      case "unique" where isOwn: uses.own.insert(.unique)
      case "references":
        if isOwn { uses.own.insert(.ownForeignKey) }
        list = self.list(after: index + 1)
        if source.token(index + 1)?.spellsLoosely(foldedName) == true {
          found = list.map { (.foreignKeyToItself, search.search(list: $0)) }
        }
      default: break
      }
      if let found {
        for token in found.result.tokens { uses.tokens[token] = isOwn && found.use == .check ? .name : found.use }
        uses.isUncertain = uses.isUncertain || found.result.isUncertain
      }
      // The tokens inside parentheses were searched, or mean no column: a type's size, a default, a parent's columns.
      index = list.map { $0.upperBound + 1 } ?? index + 1
    }
  }

  /// The tokens between the parentheses that follow a token; nil when none do.
  private func list(after index: Int) -> Range<Int>? {
    guard source.token(index + 1)?.isOperator("(") == true, let close = source.closing(of: index + 1) else {
      return nil
    }
    return (index + 2)..<close
  }
}
