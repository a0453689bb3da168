/// Words by which something is recognized, with the advice about it.
///
/// Written as text in which a line has the words, separated by ` | `, and the advice after ` => `. An indented line continues
/// the one before it.
package struct AdviceTable: Sendable {
  private let rows: [(keys: [String], advice: String)]

  /// Reads the lines of a table.
  package init(_ text: String) {
    rows = text.replacing("\n  ", with: " ").split(separator: "\n").map { line in
      let parts = line.split(separator: " => ", maxSplits: 1)
      return (parts[0].split(separator: " | ").map(String.init), String(parts[1]))
    }
  }

  /// Returns the advice of the first row one of whose words satisfies a condition; nil if there is none.
  package func advice(where isMeant: (String) -> Bool) -> String? {
    rows.first { $0.keys.contains(where: isMeant) }?.advice
  }
}
