/// Suggestions for misspelled names.
package enum Suggestion {
  /// Returns the candidate with the smallest edit distance; nil if none is similar enough.
  ///
  /// If several candidates are equally similar, returns the first one.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    // Up to a third of the word may differ: "--databse" finds "--database", "--x" finds nothing.
    let limit = max(1, word.count / 3)
    let measured = candidates.map { (candidate: $0, distance: distance(from: word, to: $0)) }
    guard let best = measured.min(by: { $0.distance < $1.distance }), best.distance <= limit else { return nil }
    return best.candidate
  }

  /// Returns the edit distance: the number of insertions, deletions, replacements and transpositions between two words.
  package static func distance(from one: String, to other: String) -> Int {
    let source = Array(one.lowercased())
    let target = Array(other.lowercased())
    guard !source.isEmpty, !target.isEmpty else { return max(source.count, target.count) }
    var beforePrevious: [Int] = []
    var previous = Array(0...target.count)
    for row in source.indices {
      var current = [row + 1]
      for column in target.indices {
        let replaced = previous[column] + (source[row] == target[column] ? 0 : 1)
        var cost = min(previous[column + 1] + 1, current[column] + 1, replaced)
        let isSwap = row > 0 && column > 0 && source[row] == target[column - 1] && source[row - 1] == target[column]
        if isSwap { cost = min(cost, beforePrevious[column - 1] + 1) }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[target.count]
  }
}
