internal import SQLSyntax

/// How a column treats the values that it is given (https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
public enum ColumnAffinity: String, Sendable, Hashable, Codable, CaseIterable {
  /// Numbers become text.
  case text
  /// Text that looks like a number becomes one, whole numbers integers.
  case numeric
  /// As numeric; casts differ.
  case integer
  /// Text that looks like a number becomes one, and numbers floating-point ones.
  case real
  /// Values stay as they are.
  case blob

  /// The affinity of a declared type in an ordinary table, which the letters in it tell.
  public init(declaredType: String) {
    let type = declaredType.asciiLowercased
    let holds = { (words: [String]) in words.contains { type.contains($0) } }
    if holds(["int"]) {
      self = .integer
    } else if holds(["char", "clob", "text"]) {
      self = .text
    } else if type.isEmpty || holds(["blob"]) {
      self = .blob
    } else {
      self = holds(["real", "floa", "doub"]) ? .real : .numeric
    }
  }
}
