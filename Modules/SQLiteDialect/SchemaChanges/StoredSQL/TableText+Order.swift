internal import SQLSyntax

extension TableText {
  /// Returns the text with the columns in the order of `names`, which are in lower case; nil if one of these columns
  /// does not exist.
  ///
  /// Comments before a definition, and after it on the same line, move together with it; whitespace stays in place.
  func reordering(_ names: [String]) -> String? {
    let first = names.compactMap { column(named: $0) }
    guard first.count == names.count, Set(names).count == names.count else { return nil }
    let order = first + table.columns.filter { !names.contains($0.name.folded) }
    let moved = zip(table.columns, order).filter { place, column in place.tokens != column.tokens }
    let edits = moved.flatMap { place, column in
      CommentedColumn(place, in: source).replaced(by: CommentedColumn(column, in: source), in: source)
    }
    return applying(edits)
  }
}

private struct CommentedColumn {
  /// The definition, with the comments before it.
  let definition: Range<Int>
  /// The text between the definition and the comma.
  let beforeComma: Range<Int>
  /// The comments at the end of the line: after the comma, or after the definition if no comma follows it.
  let endOfLine: Range<Int>
  private let hasComma: Bool

  init(_ column: SQLColumnSyntax, in source: SQLSource) {
    let own = source.utf8Range(of: column.tokens)
    // A parenthesis or comma comes before a column, and a comma or parenthesis after it.
    let before = source.tokens[column.tokens.lowerBound - 1].range.upperBound..<own.lowerBound
    let comment = source.comments(in: source.endOfLine(in: before)..<own.lowerBound).first
    definition = (comment?.lowerBound ?? own.lowerBound)..<own.upperBound
    let next = source.token(column.tokens.upperBound)?.range ?? own.upperBound..<own.upperBound
    hasComma = source.token(column.tokens.upperBound)?.isOperator(",") == true
    beforeComma = own.upperBound..<(hasComma ? next.lowerBound : own.upperBound)
    let following = hasComma ? source.token(column.tokens.upperBound + 1)?.range ?? next : next
    let start = hasComma ? next.upperBound : own.upperBound
    endOfLine = start..<source.endOfLine(in: start..<following.lowerBound)
  }

  /// Returns the edits that put another column in this column's place.
  func replaced(by other: CommentedColumn, in source: SQLSource) -> [TableText.Edit] {
    let hasComments = ![beforeComma, other.beforeComma].allSatisfy { source.comments(in: $0).isEmpty }
    let gap = source.text(in: hasComments ? other.beforeComma : beforeComma)
    let comments = source.closed(source.text(in: other.endOfLine), at: endOfLine.upperBound)
    return [
      (definition, source.text(in: other.definition)), (beforeComma, hasComma ? gap : ""),
      (endOfLine, hasComma ? comments : gap + comments),
    ]
  }
}

extension SQLSource {
  fileprivate func text(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  fileprivate func comments(in range: Range<Int>) -> [Range<Int>] {
    trivia(in: range).filter { $0.kind == .comment }.map(\.range)
  }

  /// Returns the offset after the last comment on the line at which a range without tokens begins; the start of the
  /// range if there is none, or if a token follows on the same line.
  fileprivate func endOfLine(in range: Range<Int>) -> Int {
    var end = range.lowerBound
    for token in trivia(in: range) {
      if bytes[token.range].contains(0x0A), token.kind == .whitespace { return end }
      if token.kind == .comment { end = token.range.upperBound }
    }
    return range.lowerBound
  }

  /// Returns comments, with a newline appended if they end with a line comment and the text at the offset does not
  /// begin with a line end.
  fileprivate func closed(_ comments: String, at offset: Int) -> String {
    let rest = bytes[offset...].drop { $0 == 0x20 || $0 == 0x09 }
    return rest.first == 0x0A || rest.first == 0x0D ? comments : SQLFragment.closed(comments)
  }

  private func trivia(in range: Range<Int>) -> [(kind: SQLToken.Kind, range: Range<Int>)] {
    SQLTokenizer(bytes: Array(bytes[range])).map { token in
      (token.kind, (token.range.lowerBound + range.lowerBound)..<(token.range.upperBound + range.lowerBound))
    }
  }
}
