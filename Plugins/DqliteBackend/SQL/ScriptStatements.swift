internal import SQLSyntax

/// The statements of a script, with their places.
///
/// A statement with a fault that makes its end unknown, such as a missing quote, extends to the end of the script; the
/// node reports the fault when the statement is prepared, after the earlier statements have run.
struct ScriptStatements {
  struct Place {
    let text: String
    /// The range in the script, in UTF-8 bytes.
    let range: Range<Int>
  }

  let script: String
  private let places: [Place]

  init(_ script: String) {
    self.script = script
    let (statements, fault) = SQLStatementSplitter.splitToFault(script)
    var places = statements.map { Place(text: $0.text, range: $0.utf8Range) }
    // SQLite ignores a comment that does not end.
    if let fault, fault.isInStatement || fault.error.kind != .unterminatedComment {
      let rest = script.utf8.dropFirst(fault.start)
      places.append(Place(text: String(decoding: rest, as: UTF8.self), range: fault.start..<script.utf8.count))
    }
    self.places = places
  }

  /// Returns the first statement that begins at or after an offset; nil if there is none.
  func first(from offset: Int) -> Place? {
    let low = places.firstIndexInOrder { $0.range.lowerBound >= offset }
    if low > 0, places[low - 1].range.upperBound > offset {
      // The offset is inside a statement.
      let rest = ScriptStatements(String(decoding: script.utf8.dropFirst(offset), as: UTF8.self))
      return rest.places.first.map {
        Place(text: $0.text, range: $0.range.lowerBound + offset..<$0.range.upperBound + offset)
      }
    }
    return low < places.count ? places[low] : nil
  }
}
