@testable import Migrator
import TestEngines
import Testing

@Suite("Table definitions as values")
struct TableDefinitionTests {
  private func definition(_ name: String, _ body: (TableDefinition) throws -> Void) throws -> NewTableDescription {
    let dbQueue = try TestEngine.sqlite.inMemoryQueue()
    return try dbQueue.write { db in
      try db.execute(
        sql: "CREATE TABLE parent(a TEXT, b INTEGER, PRIMARY KEY (b, a)); CREATE TABLE boxes(id PRIMARY KEY)")
      let definition = TableDefinition(name: name, options: [])
      try body(definition)
      return try definition.description { try db.parentKey(of: $0, inSchema: nil) }
    }
  }

  @Test("methods may be chained in any order")
  func chaining() throws {
    let one = try definition("t") { t in t.column("a", .text).notNull().unique().defaults(to: "x") }
    let other = try definition("t") { t in t.column("a", .text).defaults(to: "x").unique().notNull() }
    #expect(one == other)
    var column = NewColumnDescription(name: "a", type: .text)
    column.notNull = NewColumnDescription.NotNull()
    column.keys = [.unique(onConflict: nil)]
    column.defaultValue = .value(.text("x"))
    #expect(one.columns == [.definition(column)])
  }

  @Test("each column of a composite primary key is NOT NULL, unless its nullability is specified")
  func primaryKeyBody() throws {
    let table = try definition("t") { t in
      t.primaryKey(onConflict: .replace) {
        t.column("a")
        t.column("b").notNull(onConflict: .fail)
      }
    }
    #expect(table.primaryKey == TableKey(columns: ["a", "b"], onConflict: .replace))
    let notNulls = table.columns.compactMap { column -> NewColumnDescription.NotNull? in
      if case .definition(let definition) = column { definition.notNull } else { nil }
    }
    #expect(notNulls == [NewColumnDescription.NotNull(), NewColumnDescription.NotNull(onConflict: .fail)])
  }

  @Test("a reference to a composite key follows the key's order, and leaves its constraints to the table")
  func compositeReference() throws {
    let table = try definition("t") { t in t.belongsTo("parent", onDelete: .cascade).unique() }
    #expect(table.columns.count == 2)
    #expect(
      table.foreignKeys == [
        NewForeignKeyDescription(
          columns: ["parentB", "parentA"], table: "parent", destinationColumns: ["b", "a"], onDelete: .cascade)
      ])
    #expect(
      table.indexes == [
        NewIndexDescription(
          name: "index_t_on_parentB_parentA", table: "t", columns: [.column("parentB"), .column("parentA")],
          isUnique: true)
      ])
  }

  @Test("a parent table is found by its plural, and its column may have no type")
  func plural() throws {
    let table = try definition("t") { t in t.belongsTo("box", indexed: false) }
    var column = NewColumnDescription(name: "boxId")
    column.references = [NewForeignKeyDescription(table: "boxes", destinationColumns: ["id"])]
    #expect(table.columns == [.definition(column)])
  }

  @Test("a table refers to itself by its own name, in any case and number")
  func selfReference() throws {
    let table = try definition("Categories") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("category")
      t.belongsTo("root", inTable: "CATEGORIES")
    }
    let references = table.columns.dropFirst().compactMap { column -> [NewForeignKeyDescription]? in
      if case .definition(let definition) = column { definition.references } else { nil }
    }
    let expected = NewForeignKeyDescription(table: "Categories", destinationColumns: ["id"])
    #expect(references == [[expected], [expected]])
  }

  @Test("an index is named after its table and columns")
  func indexNames() {
    let name = NewIndexDescription.defaultName(table: "player", columns: ["teamId", "score"])
    #expect(name == "index_player_on_teamId_score")
  }

  #if os(macOS) || os(Linux)
    @Test("two primary keys stop the program with a message")
    func twoPrimaryKeys() async {
      await #expect(processExitsWith: .failure) {
        let definition = TableDefinition(name: "t", options: [])
        definition.primaryKey(["a"])
        definition.primaryKey(["b"])
      }
    }

    @Test("a foreign key with another number of columns stops the program with a message")
    func unevenForeignKey() async {
      await #expect(processExitsWith: .failure) {
        TableDefinition(name: "t", options: []).foreignKey(["a", "b"], references: "u", columns: ["c"])
      }
    }
  #endif
}
