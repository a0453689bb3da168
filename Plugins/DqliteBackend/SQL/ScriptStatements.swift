internal import SQLSyntax

/// The statements of a script, with their places.
///
/// A statement with a fault that makes its end unknown, such as a missing quote, extends to the end of the script; the
/// node reports the fault when the statement is prepared, after the earlier statements have run.
struct ScriptStatements {
  /// One statement.
  struct Place {
    let text: String
    /// The range in the script, in UTF-8 bytes.
    let range: Range<Int>
  }

  let script: String
  private let places: [Place]

  init(_ script: String) {
    self.script = script
    do throws(SQLTextError) {
      places = Self.places(try SQLStatementSplitter.split(script))
    } catch {
      places = Self.places(of: script, before: error)
    }
  }

  private static func places(_ statements: [SQLStatement]) -> [Place] {
    statements.map { Place(text: $0.text, range: $0.utf8Range) }
  }

  private static func places(of script: String, before error: SQLTextError) -> [Place] {
    let bytes = Array(script.utf8)
    let prefix = String(decoding: bytes.prefix(error.utf8Offset), as: UTF8.self)
    // The text before the first fault has none.
    var places = places((try? SQLStatementSplitter.split(prefix)) ?? [])
    var start = error.utf8Offset
    if let last = places.last, !endsStatement(bytes[last.range.upperBound..<error.utf8Offset]) {
      // The fault is inside this statement.
      start = last.range.lowerBound
      places.removeLast()
    } else if error.kind == .unterminatedComment {
      return places
    }
    places.append(Place(text: String(decoding: bytes[start...], as: UTF8.self), range: start..<bytes.count))
    return places
  }

  /// Whether a text after a statement contains the semicolon that ends the statement.
  private static func endsStatement(_ bytes: ArraySlice<UInt8>) -> Bool {
    let tokenizer = SQLTokenizer(bytes: Array(bytes))
    return tokenizer.contains { $0.kind == .operator && tokenizer.text(of: $0) == ";" }
  }

  /// Returns the first statement that begins at or after an offset; nil if there is none.
  func first(from offset: Int) -> Place? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
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
