internal import CSQLite
internal import Migrator

/// What was tried to find a library, and the error that tells it.
struct LibrarySearch {
  let family: EngineFamily

  /// Whether the caller named the library, so that nothing else was tried.
  let isNamed: Bool

  private var missing: [String] = []
  private var unsuitable: [String] = []

  init(family: EngineFamily, isNamed: Bool) {
    self.family = family
    self.isNamed = isNamed
  }

  mutating func note(_ name: String?, status: csqlite_status, reason: String) {
    switch status {
    case CSQLITE_LACKS_FUNCTIONS: note(name, unsuitable: "it lacks \(reason)")
    case CSQLITE_INTERPOSED: note(name, unsuitable: "another SQLite in this process takes its inner calls")
    case CSQLITE_NO_MEMORY: note(name, unsuitable: "there is no memory left to load it")
    // The loader's reason matters when a file was named; for a search it is "no such file", many times over.
    default: missing.append(isNamed ? reason : Self.place(name))
    }
  }

  mutating func note(_ name: String?, unsuitable reason: String) {
    unsuitable.append("\(Self.place(name)): \(reason)")
  }

  var error: DatabaseError {
    let install = "Install it with `apt-get install \(family.debianPackage)`, or name the library's path"
    guard unsuitable.isEmpty else {
      return DatabaseError(
        .libraryUnsuitable, engine: family.name,
        message: "the library that was found cannot serve as \(family.name) (\(unsuitable.joined(separator: "; ")))",
        remedy: "\(install). Link no other SQLite into the program with its symbols exported.")
    }
    let places = missing.joined(separator: ", ")
    return DatabaseError(
      .libraryMissing, engine: family.name,
      message: isNamed
        ? "the library of \(family.name) could not be loaded (\(places))"
        : "the library of \(family.name) was not found; searched the loader's folders for \(places)",
      remedy: "\(install).")
  }

  private static func place(_ name: String?) -> String { name ?? "the symbols of this process" }
}
