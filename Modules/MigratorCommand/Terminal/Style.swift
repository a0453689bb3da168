/// Colours for a terminal, and nothing for a pipe.
struct Style: Sendable {
  /// What a piece of text means; the style decides how that looks.
  enum Role: String, Sendable, CaseIterable {
    /// Well done.
    case good = "32"
    /// Waiting to be done.
    case waiting = "33"
    /// Wrong.
    case bad = "31"
    /// Important.
    case strong = "1"
    /// Beside the point.
    case faint = "2"
  }

  /// What begins and ends a colour, as a terminal reads it.
  static let sequences: [[Unicode.Scalar]] = (Role.allCases.map(\.rawValue) + ["0"]).map {
    Array("\u{1B}[\($0)m".unicodeScalars)
  }

  /// Whether colours are used.
  var usesColor: Bool

  /// The text in the role's colour.
  ///
  /// Source: ECMA-48, 8.3.117 "Select graphic rendition".
  func callAsFunction(_ text: String, _ role: Role?) -> String {
    guard usesColor, let role, !text.isEmpty else { return text }
    return "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m"
  }
}
