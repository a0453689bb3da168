internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// A rule that finds a file that drops what it has made: the part that undoes a migration is then part of it.
  static let undoesItself: LintRule = LintRule(
    name: "undoes-itself", summary: "a file that drops what it has made itself",
    details:
      "Nothing has used the table, view, index, trigger or column in between. The file may contain the part that another tool "
      + "runs to undo it; migrations run forward only, and run the whole file.",
    afterMigration: { scene in
      let statements = scene.file.statements
      return Undoing.all(in: statements.map(\.text)).compactMap { undoing in
        guard let object = undoing.dropped, !undoing.isUsed else { return nil }
        return LintedStatement(scene.file, undoing.undoer).finding(
          .undoesItself,
          "the statement drops \(object.title), which line \(statements[undoing.maker].line) of the file has made",
          remedy:
            "If the statement belongs to a part that undoes the migration, delete that part, or begin the file with "
            + "`-- Up` and the part with `-- Down`. If it is meant, add a comment before it: "
            + "-- migrator: allow undoes-itself REASON")
      }
    })
}

extension MadeObject {
  fileprivate var title: String { column.map { "column \"\(name)\".\"\($0)\"" } ?? "\"\(name)\"" }
}
