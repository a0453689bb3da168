import Migrator

/// An index, a view or a trigger.
struct ModelObject: Hashable {
  enum Event: Hashable {
    case insert, delete
    case update([Int])
  }

  enum Definition: Hashable {
    case index(isUnique: Bool, ModelSQL, condition: ModelSQL?)
    case view(ModelSQL)
    case trigger(NewTriggerDescription.Timing, Event, condition: ModelSQL?, ModelSQL)
  }

  var name: String

  /// The table of an index or trigger; zero for views.
  var table = 0

  var definition: Definition

  /// The names of a view's columns, as far as other views may use them.
  var columns: [ModelSQL] = []

  var isView: Bool { if case .view = definition { true } else { false } }
  var isIndex: Bool { if case .index = definition { true } else { false } }

  /// The statement that creates it.
  var sql: ModelSQL {
    switch definition {
    case .index(let isUnique, let parts, let condition):
      let unique = isUnique ? " UNIQUE" : ""
      let filter: ModelSQL = condition.map { " WHERE \($0)" } ?? ""
      return "CREATE\(raw: unique) INDEX \"\(raw: name)\" ON \(name: table)(\(parts))\(filter)"
    case .view(let query): return "CREATE VIEW \"\(raw: name)\" AS \(query)"
    case .trigger(let timing, let event, let condition, let statements):
      let filter: ModelSQL = condition.map { "WHEN \($0) " } ?? ""
      return
        "CREATE TRIGGER \"\(raw: name)\" \(raw: timing.rawValue) \(event.sql) ON \(name: table) \(filter)BEGIN \(statements); END"
    }
  }

  /// Creates it with this library's methods.
  func create(_ db: Database, in schema: ModelSchema) throws {
    switch definition {
    case .index(let isUnique, let parts, let condition):
      try db.create(
        index: name, on: schema.name(table), expressions: [.sql(schema.text(parts))],
        options: isUnique ? .unique : [], condition: condition.map { schema.text($0) })
    case .view(let query): try db.create(view: name, as: schema.text(query))
    case .trigger(let timing, let event, let condition, let statements):
      try db.create(
        trigger: name, timing, event.word(in: schema), on: schema.name(table),
        when: condition.map { schema.text($0) }, statements: schema.text(statements))
    }
  }

  /// Drops it with this library's methods.
  func drop(_ db: Database) throws {
    switch definition {
    case .index: try db.drop(index: name)
    case .view: try db.drop(view: name)
    case .trigger: try db.drop(trigger: name)
    }
  }
}

extension ModelObject.Event {
  fileprivate var sql: ModelSQL {
    switch self {
    case .insert: "INSERT"
    case .delete: "DELETE"
    case .update(let columns): columns.isEmpty ? "UPDATE" : "UPDATE OF \(names: columns)"
    }
  }

  fileprivate func word(in schema: ModelSchema) -> NewTriggerDescription.Event {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .update(let columns): .update(of: columns.map { schema.name($0) })
    }
  }
}
