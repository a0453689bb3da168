internal import SQLSyntax

extension DatabaseValue {
  /// An SQL expression with this value (https://www.sqlite.org/lang_expr.html#literal_values_constants_).
  package var sqlLiteral: String {
    switch self {
    case .null: "NULL"
    // The digits of the smallest integer without its sign are too large for an integer: SQLite would read a real
    // number.
    case .integer(Int64.min): "(-9223372036854775807 - 1)"
    case .integer(let integer): String(integer)
    case .real(let real): Self.literal(real)
    // SQL text ends at a NUL, so text that contains one is written as its bytes.
    case .text(let text) where text.utf8.contains(0): "(CAST(\(Self.literal(text.utf8)) AS TEXT))"
    case .text(let text): text.quotedText
    case .blob(let bytes): Self.literal(bytes)
    }
  }

  private static func literal(_ real: Double) -> String {
    // SQL has no literal for infinities, and stores no NaN (https://www.sqlite.org/floatingpoint.html).
    if real.isNaN { return "NULL" }
    if real.isInfinite { return real < 0 ? "-9e999" : "9e999" }
    return "\(real)"
  }

  private static func literal(_ bytes: some Sequence<UInt8>) -> String {
    "x'\(bytes.map(\.hexadecimal).joined())'"
  }
}
