/// The names of a result's columns, shared by its rows.
final class RowColumns {
  let names: [String]

  init(names: [String]) { self.names = names }

  /// The leftmost column of a name, names compared without regard to ASCII case when none is the same exactly.
  ///
  /// A plain search: results have few columns, and comparing short names costs less than hashing one.
  func index(of name: String) -> Int? {
    if let exact = names.firstIndex(of: name) { return exact }
    let folded = name.asciiLowercased
    return names.firstIndex { $0.asciiLowercased == folded }
  }
}
