extension String {
  /// The columns of a terminal that the text takes.
  var columns: Int { isPlain ? utf8.count : reduce(0) { $0 + $1.columns } }

  /// The beginning of the text, of so many columns at most.
  func prefix(columns limit: Int) -> Substring {
    guard !isPlain else { return prefix(limit) }
    var rest = limit
    return prefix {
      rest -= $0.columns
      return rest >= 0
    }
  }
}

extension Character {
  /// The columns of a terminal that the character takes: two for those of East Asia and for pictures.
  ///
  /// Source: https://www.unicode.org/reports/tr11/, whose wide characters are these blocks but for single ones.
  var columns: Int {
    guard let first = unicodeScalars.first, first.value >= 0x1100 else { return 1 }
    let isPicture = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      return 2
    default:
      return isPicture ? 2 : 1
    }
  }
}
