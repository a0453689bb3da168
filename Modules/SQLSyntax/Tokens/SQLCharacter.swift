/// The character classes of SQLite's tokenizer (`aiClass` in `tokenize.c`), by byte.
extension UInt8 {
  /// True for the blanks and line breaks of SQL, the vertical tab included.
  var isSQLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

  /// True for `0` to `9`.
  var isSQLDigit: Bool { (0x30...0x39).contains(self) }

  /// True for `0` to `9`, `a` to `f` and `A` to `F`.
  var isSQLHexDigit: Bool { isSQLDigit || (0x61...0x66).contains(self | 0x20) }

  /// True for what may begin a bare word: a letter, an underscore, or any byte of a non-ASCII character.
  var beginsSQLWord: Bool { (0x61...0x7A).contains(self | 0x20) || self == 0x5F || self >= 0x80 }

  /// True for what may continue a bare word: what begins one, a digit, or a dollar sign.
  var continuesSQLWord: Bool { beginsSQLWord || isSQLDigit || self == 0x24 }
}
