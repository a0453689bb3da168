/// A place where the sources do not follow the plan of the house.
struct Violation: Hashable, Comparable, CustomStringConvertible {
  enum Rule: String, CaseIterable {
    /// A folder names a type of a folder above it.
    case upwardArrow
    /// Folders name each other's types in a circle.
    case circle
    /// A target imports one that it may not know, or depends on it.
    case upwardImport
    /// A folder or target is not in the plan, or the plan has one that is gone.
    case unplanned
    /// The core spells an engine's name.
    case engineName
    /// A folder has one file.
    case singleFile
    /// More files are short than may be.
    case shortFiles
    case longFile
    case longFunction
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
