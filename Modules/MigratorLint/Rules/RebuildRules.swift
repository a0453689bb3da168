internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// A rebuild that loses an index or a trigger.
  static let lostObject: LintRule = LintRule(
    name: "lost-object", summary: "a rebuild that loses an index or a trigger",
    details:
      "DROP TABLE takes the indexes and triggers of its table along; a table of the same name does not have them. "
      + "(https://www.sqlite.org/lang_altertable.html#otheralter)",
    afterMigration: { scene in
      let now = try scene.db.connection.schema()
      return zip(scene.destruction.statements, scene.destroyers).flatMap { destruction, linted -> [LintFinding] in
        guard case .rebuildsTable(let table) = destruction.effect else { return [] }
        let lost = scene.before.objects.filter { object in
          // An index without SQL belongs to a constraint of the table itself.
          guard object.kind == .index && object.sql != nil || object.kind == .trigger else { return false }
          return object.tableName.asciiLowercased == table.asciiLowercased
            && now.object(object.kind, named: object.name) == nil
            && !scene.droppedObjects.contains(object.name.asciiLowercased)
        }
        return lost.map { object in
          linted.finding(
            .lostObject, "the rebuild of \(table) loses the \(object.kind.rawValue) \(object.name)",
            remedy: "Make it again after the rebuild, or drop it by name before, to say that it is meant.")
        }
      }
    })

  /// A view or trigger that names what is gone.
  static let brokenObject: LintRule = LintRule(
    name: "broken-object", summary: "a view or trigger that names what is gone",
    details:
      "Views and triggers are compiled after each migration. One that names a table or column which is not there any more fails "
      + "when it is next used, and before that at the next ALTER TABLE. (https://www.sqlite.org/lang_altertable.html#compatibility)",
    afterMigration: { scene in
      guard !scene.breakers.isEmpty else { return [] }
      let broken = try CompiledObjects(scene.db).broken
      return scene.breakers.filter { broken.contains($0.key) }.sorted { $0.key < $1.key }.map { name, linted in
        linted.finding(
          .brokenObject, "the \(name) names what is not there any more",
          remedy: "Drop it before and make it anew after, or drop it for good.")
      }
    })
}
