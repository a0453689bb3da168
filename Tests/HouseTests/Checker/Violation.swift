/// A place where the sources violate the plan.
struct Violation: Hashable, Comparable, CustomStringConvertible {
  enum Rule: String, CaseIterable {
    /// A folder uses a type of a folder above it.
    case upwardArrow
    /// Folders use each other's types in a cycle.
    case circle
    /// A target imports a target that it must not import, or depends on it.
    case upwardImport
    /// A folder or target is not in the plan, or an entry of the plan no longer exists.
    case unplanned
    /// The core contains an engine's name.
    case engineName
  }

  let rule: Rule
  /// The file or folder.
  let place: String
  let message: String

  var description: String { "\(place): \(message)" }

  static func < (one: Violation, other: Violation) -> Bool {
    (one.place, one.message) < (other.place, other.message)
  }
}
