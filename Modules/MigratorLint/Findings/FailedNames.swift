internal import SQLMigrations
internal import SQLSyntax

/// The names of the objects and tables whose state is unknown, because a statement about them failed or was not run.
///
/// Too many names only hide findings; a missing one would result in a false finding. So each token that is equal to a
/// name counts as a mention of it.
struct FailedNames {
  /// The names, in ASCII lower case.
  private var names: Set<String> = []

  /// Whether no statement has failed.
  var isEmpty: Bool { names.isEmpty }

  func contains(_ name: String) -> Bool { names.contains(name) }

  func areMentioned(in statement: SQLStatement) -> Bool {
    !names.isEmpty && SQLSource(statement.text).tokens.contains { names.contains($0.folded) }
  }

  /// Adds the names of a statement that failed, and of the statements of its file that depend on it.
  mutating func add(_ linted: LintedStatement) {
    names.formUnion(linted.changedNames)
    spread(over: linted.file)
  }

  /// Adds the names of a migration that was rolled back.
  mutating func add(_ file: MigrationFile) {
    for index in file.statements.indices { names.formUnion(LintedStatement(file, index).changedNames) }
  }

  /// Adds the names that the statements of a file connect with the known ones: if the copy of a table cannot be created,
  /// the original must not count as dropped.
  mutating func spread(over file: MigrationFile) {
    guard !names.isEmpty else { return }
    let changed = file.statements.indices.reduce(into: Set<String>()) {
      $0.formUnion(LintedStatement(file, $1).changedNames)
    }
    let mentions = file.statements.map { Set(SQLSource($0.text).tokens.map(\.folded)) }
    var count = -1
    while names.count > count {
      count = names.count
      for names in mentions where !names.isDisjoint(with: self.names) {
        self.names.formUnion(names.intersection(changed))
      }
    }
  }
}
