extension String {
  /// The line in lines of so many columns at most, parted between words.
  ///
  /// Further lines stand below the text of the last column of the first one if a word was moved out of that, else two
  /// columns further in than the first one. A mark or a label, such as `+` or `next:`, stands before its text. A word
  /// that fits on no line has one of its own, for the terminal to part. Colours take no room.
  /// - Parameter hangs: Whether further lines are indented.
  func folded(columns: Int, hangs: Bool = true) -> [String] {
    let pieces = FoldedPiece.all(in: self)
    guard pieces.reduce(0, { $0 + $1.width }) > columns else { return [self] }
    let margin = hangs ? FoldedPiece.margin(of: pieces) : 0
    var lines = [""]
    var width = 0
    var column = hangs ? margin + FoldedPiece.markWidth(of: pieces) : 0
    var blanks: FoldedPiece?
    for piece in pieces {
      if piece.isBlank {
        blanks = piece
        continue
      }
      let gap = blanks?.width ?? 0
      let isNewColumn = gap > 1 && width > 0
      // Where there is hardly room below a column, the text goes on further out.
      let indentation = isNewColumn || column > columns / 2 ? min(margin + 2, columns / 2) : column
      if width > 0, width + gap + piece.width > columns, width + gap > indentation {
        lines[lines.count - 1] += blanks?.colors ?? ""
        lines.append(String(repeating: " ", count: indentation) + piece.text)
        width = indentation + piece.width
        column = indentation
      } else {
        lines[lines.count - 1] += (blanks?.text ?? "") + piece.text
        if isNewColumn { column = width + gap }
        width += gap + piece.width
      }
      blanks = nil
    }
    lines[lines.count - 1] += blanks?.colors ?? ""
    return lines
  }
}

/// A word of a line, or the whitespace between two.
private struct FoldedPiece {
  let isBlank: Bool
  var text = ""
  var visible = ""
  var colors = ""

  var width: Int { visible.columns }

  static func all(in line: String) -> [FoldedPiece] {
    var pieces: [FoldedPiece] = []
    var rest = line[...]
    while let character = rest.first {
      if character == "\u{1B}", let end = rest.firstIndex(of: "m") {
        if pieces.isEmpty { pieces.append(FoldedPiece(isBlank: false)) }
        pieces[pieces.count - 1].text += rest[...end]
        pieces[pieces.count - 1].colors += rest[...end]
        rest = rest[rest.index(after: end)...]
        continue
      }
      if pieces.last?.isBlank != (character == " ") { pieces.append(FoldedPiece(isBlank: character == " ")) }
      pieces[pieces.count - 1].text.append(character)
      pieces[pieces.count - 1].visible.append(character)
      rest = rest.dropFirst()
    }
    return pieces
  }

  static func margin(of pieces: [FoldedPiece]) -> Int {
    // A colour may stand before them.
    guard let first = pieces.first(where: { $0.width > 0 }), first.isBlank else { return 0 }
    return first.width
  }

  /// The columns of a mark or label that stands before a line's text, with the space after it; zero for most lines.
  static func markWidth(of pieces: [FoldedPiece]) -> Int {
    guard let first = pieces.first(where: { !$0.isBlank && $0.width > 0 }) else { return 0 }
    let isMark = ["+", "-", "~", "!"].contains(first.visible) || first.visible.hasSuffix(":")
    return isMark ? first.width + 1 : 0
  }
}

/// The words of a text in lines of so many columns at most; a longer word has a line of its own.
func wrapped(_ text: String, columns: Int) -> [String] {
  text.split(separator: " ").joined(separator: " ").folded(columns: columns, hangs: false)
}

/// A label and its text, of which each further line stands below the first.
func labelled(_ label: String, _ text: String, _ width: Int?) -> [String] {
  let texts = text.split(separator: "\n").flatMap { line in
    width.map { wrapped(String(line), columns: max(20, $0 - label.count - 2)) } ?? [String(line)]
  }
  let indentation = String(repeating: " ", count: label.count)
  return texts.enumerated().map { index, line in "  " + (index == 0 ? label : indentation) + line }
}
