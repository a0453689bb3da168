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
      var made: [MadeObject: Int] = [:]
      var findings: [LintFinding] = []
      for (index, statement) in statements.enumerated() {
        if let object = MadeObject(madeBy: statement.text) {
          made[object] = made[object] ?? index
        } else if let object = MadeObject(droppedBy: statement.text), let start = made.removeValue(forKey: object),
          !object.isUsed(by: statements[(start + 1)..<index].map(\.text), madeBy: statements[start].text),
          !statements[(index + 1)...].contains(where: { MadeObject(madeBy: $0.text) == object })
        {
          findings.append(
            LintedStatement(scene.file, index).finding(
              .undoesItself,
              "the statement drops \(object.title), which line \(statements[start].line) of the file has made",
              remedy:
                "If the statement belongs to a part that undoes the migration, delete that part, or begin the file with "
                + "`-- Up` and the part with `-- Down`. If it is meant, add a comment before it: "
                + "-- migrator: allow undoes-itself REASON"))
        }
      }
      return findings
    })
}

extension MadeObject {
  /// The name with that of the column, in quotes.
  fileprivate var title: String { column.map { "column \"\(name)\".\"\($0)\"" } ?? "\"\(name)\"" }
}
