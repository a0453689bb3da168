internal import SQLSyntax

/// The names of a result's columns, shared by its rows.
final class RowColumns {
  let names: [String]

  /// Whether no name occurs twice.
  let areDistinct: Bool

  init(names: [String]) {
    self.names = names
    areDistinct = names.count < 2 || Set(names).count == names.count
  }

  /// The leftmost column of a name, names compared without regard to ASCII case when none is the same exactly.
  ///
  /// A plain search: results have few columns, and comparing short names costs less than hashing one.
  func index(of name: String) -> Int? {
    if let exact = names.firstIndex(of: name) { return exact }
    let folded = name.asciiLowercased
    return names.firstIndex { $0.asciiLowercased == folded }
  }
}
