internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The names that the definitions of a schema's objects mention, read once for each definition.
///
/// Every token that is equal to an object's name counts as a mention of the object, so that no object is missed.
final class NameGraph {
  private var namesBySQL: [String: Set<String>] = [:]

  /// Returns the objects that a migration may touch, in the order of their creation.
  ///
  /// These are the tables and views that it names; the tables, views and triggers that refer to those; and all tables
  /// and views that these objects mention.
  ///
  /// - Parameter mostChildren: The maximum number of tables to include only because they refer to a table of the
  ///   migration.
  func neighborhood(
    of file: MigrationFile, in schema: SchemaSnapshot, mostChildren: Int
  ) -> [SchemaObject] {
    let relations = schema.objects.filter { ($0.kind == .table || $0.kind == .view) && !$0.isShadow }
    let definitions = Dictionary(relations.map { ($0.name.asciiLowercased, $0.sql ?? "") }) { first, _ in first }
    let named = file.statements.reduce(into: Set<String>()) { $0.formUnion(SQLSource($1.text).tokens.map(\.folded)) }
    let core = Set(definitions.keys).intersection(named)
    var included = core
    let related = schema.objects.filter { mentions($0, core) && !$0.isShadow }
    let children = related.filter { $0.kind == .table && !core.contains($0.name.asciiLowercased) }
    included.formUnion(children.prefix(mostChildren).map(\.name.asciiLowercased))
    included.formUnion(related.filter { $0.kind == .view }.map(\.name.asciiLowercased))
    let triggers = related.filter { $0.kind == .trigger && definitions[$0.tableName.asciiLowercased] != nil }
    for trigger in triggers { included.formUnion(names(in: trigger.sql ?? "").intersection(definitions.keys)) }
    var waiting = included
    while let name = waiting.popFirst() {
      let found = names(in: definitions[name] ?? "").intersection(definitions.keys).subtracting(included)
      included.formUnion(found)
      waiting.formUnion(found)
    }
    let triggerNames = Set(triggers.map(\.name))
    return schema.objects.filter { object in
      switch object.kind {
      case .table, .view: !object.isShadow && included.contains(object.name.asciiLowercased)
      case .index: included.contains(object.tableName.asciiLowercased)
      case .trigger: triggerNames.contains(object.name)
      }
    }
  }

  /// Returns the views, triggers and virtual tables that a change of a table, view or index may break: those that mention it, or
  /// another object that does.
  func followers(of name: String, in schema: SchemaSnapshot) -> [SchemaObject] {
    var names: Set<String> = [name]
    var found: Set<Int> = []
    var count = -1
    // One pass finds all, unless an object mentions a later one.
    while found.count > count {
      count = found.count
      for (place, object) in schema.objects.enumerated() where !found.contains(place) && mentions(object, names) {
        found.insert(place)
        // What writes to the table of a trigger compiles the trigger.
        names.insert(object.tableName.asciiLowercased)
      }
    }
    return found.sorted().map { schema.objects[$0] }.filter { $0.kind == .view || $0.kind == .trigger || $0.isVirtual }
  }

  private func mentions(_ object: SchemaObject, _ some: Set<String>) -> Bool {
    object.sql.map { !names(in: $0).isDisjoint(with: some) } ?? false
  }

  private func names(in sql: String) -> Set<String> {
    if let known = namesBySQL[sql] { return known }
    let names = Set(SQLSource(sql).tokens.map(\.folded))
    namesBySQL[sql] = names
    return names
  }
}
