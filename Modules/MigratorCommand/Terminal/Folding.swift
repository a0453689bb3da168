extension String {
  /// Wraps the line between words at a number of columns.
  ///
  /// Continuation lines are indented to the table column whose text is wrapped, or otherwise by two columns more than
  /// the first line. A marker or a label, such as `+` or `next:`, stays in front of the indented text. A word that is
  /// longer than a line gets a line by itself, which the terminal wraps. A command in backticks counts as one word, so
  /// that the user can copy it from the terminal. Color sequences have no width.
  /// - Parameter hangs: Whether continuation lines are indented.
  func folded(columns: Int, hangs: Bool = true) -> [String] {
    let pieces = FoldedPiece.all(in: self)
    guard pieces.reduce(0, { $0 + $1.width }) > columns else { return [self] }
    let margin = hangs ? FoldedPiece.margin(of: pieces) : 0
    var lines = [""]
    var width = 0
    var column = hangs ? margin + FoldedPiece.markWidth(of: pieces) : 0
    var space: FoldedPiece?
    for piece in pieces {
      if piece.isSpace {
        space = piece
        continue
      }
      let gap = space?.width ?? 0
      let isNewColumn = gap > 1 && width > 0
      // The indentation is smaller if the column is too far to the right.
      let indentation = isNewColumn || column > columns / 2 ? min(margin + 2, columns / 2) : column
      if width > 0, width + gap + piece.width > columns, width + gap > indentation {
        lines[lines.count - 1] += space?.colors ?? ""
        lines.append(String(repeating: " ", count: indentation) + piece.text)
        width = indentation + piece.width
        column = indentation
      } else {
        lines[lines.count - 1] += (space?.text ?? "") + piece.text
        if isNewColumn { column = width + gap }
        width += gap + piece.width
      }
      space = nil
    }
    lines[lines.count - 1] += space?.colors ?? ""
    return lines
  }
}

/// A word of a line, or the whitespace between two words.
private struct FoldedPiece {
  let isSpace: Bool
  var text = ""
  var visible = ""
  var colors = ""

  var width: Int { visible.columns }

  static func all(in line: String) -> [FoldedPiece] {
    var pieces: [FoldedPiece] = []
    var rest = line[...]
    var isQuoted = false
    while let character = rest.first {
      if character == "\u{1B}", let end = rest.firstIndex(of: "m") {
        if pieces.isEmpty { pieces.append(FoldedPiece(isSpace: false)) }
        pieces[pieces.count - 1].text += rest[...end]
        pieces[pieces.count - 1].colors += rest[...end]
        rest = rest[rest.index(after: end)...]
        continue
      }
      if character == "`" { isQuoted = !isQuoted && rest.dropFirst().contains("`") }
      let isSpace = character == " " && !isQuoted
      if pieces.last?.isSpace != isSpace { pieces.append(FoldedPiece(isSpace: isSpace)) }
      pieces[pieces.count - 1].text.append(character)
      pieces[pieces.count - 1].visible.append(character)
      rest = rest.dropFirst()
    }
    return pieces
  }

  static func margin(of pieces: [FoldedPiece]) -> Int {
    // A color sequence may precede the marker.
    guard let first = pieces.first(where: { $0.width > 0 }), first.isSpace else { return 0 }
    return first.width
  }

  /// Returns the width of the marker or label before a line's text, including the space after it; usually zero.
  static func markWidth(of pieces: [FoldedPiece]) -> Int {
    guard let first = pieces.first(where: { !$0.isSpace && $0.width > 0 }) else { return 0 }
    let isMark = ["+", "-", "~", "!"].contains(first.visible) || first.visible.hasSuffix(":")
    return isMark ? first.width + 1 : 0
  }
}

/// Wraps a text at a number of columns; a longer word gets a line by itself.
func wrapped(_ text: String, columns: Int) -> [String] {
  text.split(separator: " ").joined(separator: " ").folded(columns: columns, hangs: false)
}

/// Formats a label and its text; continuation lines align with the first line of the text.
func labelled(_ label: String, _ text: String, _ width: Int?) -> [String] {
  let texts = text.split(separator: "\n").flatMap { line in
    width.map { wrapped(String(line), columns: max(20, $0 - label.count - 2)) } ?? [String(line)]
  }
  let indentation = String(repeating: " ", count: label.count)
  return texts.enumerated().map { index, line in "  " + (index == 0 ? label : indentation) + line }
}
