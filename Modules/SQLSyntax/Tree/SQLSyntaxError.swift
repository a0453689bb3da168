/// Why a statement could not be read, and where.
package struct SQLSyntaxError: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Kind: Hashable, Sendable {
    /// Something else had to come; in words, such as `a column's name`.
    case expected(String)
    /// Parentheses or queries are nested too deeply to be read (https://www.sqlite.org/limits.html#max_expr_depth).
    case tooDeep
  }

  /// What is wrong.
  package let kind: Kind
  /// The token that could not be read; nil at the end of the text.
  package let found: String?
  /// Where that token begins, in UTF-8 bytes of the text; its length at its end.
  package let utf8Offset: Int
}

extension SQLSyntaxError: CustomStringConvertible {
  /// One sentence with the place.
  package var description: String {
    let place = found.map { "near \"\($0)\"" } ?? "at the end"
    return switch kind {
    case .expected(let what): "expected \(what) \(place) (byte \(utf8Offset))"
    case .tooDeep: "nested too deeply \(place) (byte \(utf8Offset))"
    }
  }
}
