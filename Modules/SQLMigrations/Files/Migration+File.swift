package import Migrator

extension Migration {
  /// The migration that runs an SQL file.
  package init(_ run: FileRun) {
    let file = run.file
    let merged = Set(file.merges)
    let body: @Sendable (Database, Set<String>) throws -> Void = { db, applied in
      // A database that has what the file merges is already where the file leads; one that has a part of it is
      // somewhere that the file's author has not seen.
      guard applied.isEmpty || applied == merged else {
        throw PartialMergeError(identifier: file.identifier, applied: applied, missing: merged.subtracting(applied))
      }
      if applied.isEmpty { try run.run(db) }
    }
    self.init(
      identifier: file.identifier,
      mode: file.foreignKeyMode == .immediate ? .immediate : .deferred,
      mergedIdentifiers: merged,
      checksum: file.checksum,
      work: file.runsInTransaction ? .wrapped(body) : .unwrapped(body))
  }
}

/// A file merges migrations of which the database has some and not others.
package struct PartialMergeError: Error, CustomStringConvertible {
  /// The migration that merges.
  package let identifier: String
  /// What the database has.
  package let applied: Set<String>
  /// What it has not.
  package let missing: Set<String>

  /// What is the case.
  package var description: String {
    "it merges \(listed((applied.union(missing)).sorted())), of which the database has \(listed(applied.sorted())) only"
  }
}
