internal import Migrator

/// The properties of a statement that its program shows, as EXPLAIN lists it (https://www.sqlite.org/opcode.html).
package struct StatementProgram {
  /// An instruction of a program.
  package struct Instruction {
    let name: String
    let (p1, p2, p3): (Int64, Int64, Int64)
    let p4: String
    let p5: Int64

    /// Creates an instruction from the columns of EXPLAIN that follow the address.
    package init(_ name: String, _ p1: Int64, _ p2: Int64, _ p3: Int64, _ p4: String, _ p5: Int64) {
      (self.name, self.p1, self.p2, self.p3, self.p4, self.p5) = (name, p1, p2, p3, p4, p5)
    }
  }

  /// The number of values in a row that the statement returns; zero if it returns none.
  package private(set) var columnCount = 0
  /// Whether the statement reads or changes a database.
  package private(set) var usesDatabase = false
  /// Whether the statement changes no database.
  package private(set) var isReadOnly = true
  /// Whether the statement changes the main schema.
  package private(set) var changesSchema = false
  /// The root pages of the tables and indexes of the main schema that the statement writes, clears or drops.
  private(set) var writtenPages: Set<Int64> = []
  /// The root pages of the tables and indexes of the main schema that the statement reads.
  private(set) var readPages: Set<Int64> = []
  /// The names of the tables and views of the main schema that the statement drops.
  private(set) var droppedNames: [String] = []
  /// Whether the statement writes, creates or drops a virtual table, in any schema.
  private(set) var usesVirtualTables = false

  /// Whether the statement writes, and the engine does not show its program: it may write any table.
  package private(set) var isUnknown = false

  /// Whether the statement writes to the table of definitions, `sqlite_schema`, whose root is page 1.
  package var writesDefinitions: Bool { isUnknown || writtenPages.contains(1) }

  /// Creates the properties of a program without instructions.
  package init() {}

  /// Creates the properties of a statement that writes, and whose program the engine does not show.
  package init(unknownChangingSchema changesSchema: Bool) {
    (isUnknown, usesDatabase, isReadOnly, self.changesSchema) = (true, true, false, changesSchema)
  }

  init(_ sql: String, _ connection: any SQLiteConnection) throws(DatabaseError) {
    try connection.forEachRow("EXPLAIN \(sql)") { (row: any DatabaseStatement) throws(DatabaseError) in
      // Older engines report P5 as hexadecimal text.
      let p5 = if case .text = row.value(at: 6) { Int64(row.text(at: 6), radix: 16) ?? 0 } else { row.integer(at: 6) }
      add(
        Instruction(row.text(at: 1), row.integer(at: 2), row.integer(at: 3), row.integer(at: 4), row.text(at: 5), p5))
    }
  }

  /// Adds the next instruction.
  package mutating func add(_ instruction: Instruction) {
    let (p1, p2, p3) = (instruction.p1, instruction.p2, instruction.p3)
    switch instruction.name {
    case "ResultRow": columnCount = max(0, Int(clamping: p2))
    case "Transaction":
      usesDatabase = true
      if p2 != 0 { isReadOnly = false }
    case "Vacuum": isReadOnly = false
    // With this flag, P2 is a register that contains the root page of an object created by the statement itself.
    case "OpenWrite": if p3 == 0, instruction.p5 & 0x10 == 0 { writtenPages.insert(p2) }
    case "OpenRead": if p3 == 0 { readPages.insert(p2) }
    case "Clear": if p2 == 0 { writtenPages.insert(p1) }
    case "Destroy": if p3 == 0 { writtenPages.insert(p1) }
    case "DropTable": if p1 == 0 { droppedNames.append(instruction.p4) }
    case "VUpdate", "VCreate", "VDestroy", "VRename": usesVirtualTables = true
    // Number 1 is the schema cookie (https://www.sqlite.org/fileformat2.html#schema_cookie).
    case "SetCookie": if p1 == 0, p2 == 1 { changesSchema = true }
    default: break
    }
  }
}
