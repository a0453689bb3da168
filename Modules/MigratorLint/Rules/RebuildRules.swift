internal import Migrator
internal import SQLSyntax

/// Indexes and triggers that a rebuilt table does not get back.
enum LostObjectRule {
  static func findings(_ scene: LintScene) throws -> [LintFinding] {
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
  }
}

/// Views and triggers that a migration breaks.
enum BrokenObjectRule {
  static func findings(_ scene: LintScene) throws -> [LintFinding] {
    guard !scene.breakers.isEmpty else { return [] }
    let broken = try CompiledObjects(scene.db).broken
    return scene.breakers.filter { broken.contains($0.key) }.sorted { $0.key < $1.key }.map { name, linted in
      linted.finding(
        .brokenObject, "the \(name) names what is not there any more",
        remedy: "Drop it before and make it anew after, or drop it for good.")
    }
  }
}
