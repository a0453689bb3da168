import Migrator
import SQLSyntax
import Testing

/// A change of column `c`, of the table or of nothing, and the lines of an inventory that it may alter.
enum ShapeChange: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case nothing, recreate, reorder, primaryKey
  case type, defaultValue, notNull, collation, columnCheck, references
  case check, uniqueKey, foreignKey
  case addColumn, addUniqueColumn, rename, drop
  // Forward and back: everything is unchanged, including the definition.
  case typeAndBack, defaultAndBack, notNullAndBack, collationAndBack, columnCheckAndBack, referencesAndBack
  case checkAndBack, uniqueKeyAndBack, foreignKeyAndBack, addAndDrop, renameAndBack, reorderAndBack, renameTableAndBack

  var testDescription: String { rawValue }

  var isThereAndBack: Bool { rawValue.hasSuffix("AndBack") || self == .addAndDrop }

  /// Whether engines with separate statements for it change whitespace, comments and quotes in the definition, or
  /// comments move along with columns.
  var mayChangeSpelling: Bool {
    [.renameAndBack, .renameTableAndBack, .addAndDrop, .notNullAndBack, .checkAndBack, .reorderAndBack].contains(self)
  }

  /// Returns whether the change would leave a virtual table with a reference to a missing name.
  func hasToBeRefused(in shape: HairyShape) -> Bool {
    self == .renameTableAndBack && shape.sql.contains("content='")
  }

  /// Returns the changes to make, each in a separate transaction.
  func changes(of shape: HairyShape, _ db: Database) throws -> [SchemaChange] {
    func alter(_ steps: TableAlterationDescription...) -> SchemaChange {
      .alterTable(name: shape.table, alterations: steps)
    }
    func column(_ property: ColumnChange.Property) -> SchemaChange {
      alter(.changeColumn(name: "C", ColumnChange([property])))
    }
    let toItself = NewForeignKeyDescription(table: shape.table, destinationColumns: ["c"], onDelete: .setNull)
    var key = toItself
    key.columns = ["c"]
    key.name = "to itself"
    let type = try db.columns(in: shape.table).first { $0.name == "c" }?.declaredType ?? ""
    let other = "another \"name\""
    switch self {
    case .nothing: return [alter(.reorderColumns([]))]
    case .recreate: return [.recreateTable(try shape.definition(db), copying: [:])]
    case .reorder: return [alter(.reorderColumns(["c"]))]
    case .primaryKey: return [alter(.setPrimaryKey(TableKey(columns: ["c"])))]
    case .type: return [column(.type("ANY"))]
    case .defaultValue: return [column(.defaultValue(.sql("7")))]
    case .notNull: return [column(.notNull(.init()))]
    case .collation: return [column(.collation("RTRIM"))]
    case .columnCheck: return [column(.addCheck("c IS NOT 'never'"))]
    case .references: return [column(.references([toItself]))]
    case .check: return [alter(.addConstraint(.check("c <> 'never'")))]
    case .uniqueKey: return [alter(.addConstraint(.unique(TableKey(columns: ["c"], name: "once"))))]
    case .foreignKey: return [alter(.addConstraint(.foreignKey(key)))]
    case .addColumn: return [alter(.addColumnSQL("new ANY DEFAULT 5"))]
    case .addUniqueColumn: return [alter(.addColumnSQL("new ANY UNIQUE"))]
    case .rename: return [alter(.renameColumn(name: "c", newName: "new name"))]
    case .drop: return [alter(.dropColumn(name: "c"))]
    case .typeAndBack: return [column(.type("ANY")), column(.type(type.isEmpty ? nil : ColumnType(type)))]
    case .defaultAndBack: return [column(.defaultValue(.sql("7"))), column(.defaultValue(nil))]
    case .notNullAndBack: return [column(.notNull(.init(name: "n"))), column(.notNull(nil))]
    case .collationAndBack: return [column(.collation("RTRIM")), column(.collation(nil))]
    case .columnCheckAndBack: return [column(.addCheck("c IS NOT 'never'")), column(.dropChecks)]
    case .referencesAndBack: return [column(.references([toItself])), column(.references([]))]
    case .checkAndBack:
      return [alter(.addConstraint(.check("c <> 'never'"))), alter(.dropConstraint(.check(sql: "c<>'never'")))]
    case .uniqueKeyAndBack:
      return [alter(.addConstraint(.unique(TableKey(columns: ["c"])))), alter(.dropConstraint(.unique(["C"])))]
    case .foreignKeyAndBack:
      return [alter(.addConstraint(.foreignKey(key))), alter(.dropConstraint(.named("To Itself")))]
    case .addAndDrop: return [alter(.addColumnSQL("new ANY DEFAULT 5")), alter(.dropColumn(name: "new"))]
    case .renameAndBack:
      return [alter(.renameColumn(name: "c", newName: "x \"y")), alter(.renameColumn(name: "x \"y", newName: "c"))]
    case .reorderAndBack:
      let names = try db.columns(in: shape.table).map(\.name)
      return [alter(.reorderColumns(Array(names.reversed()))), alter(.reorderColumns(names))]
    case .renameTableAndBack:
      return [.renameTable(name: shape.table, newName: other), .renameTable(name: other, newName: shape.table)]
    }
  }

  /// Returns whether a line of the inventory may disappear.
  func mayGo(_ line: String, _ table: String) -> Bool { mayDiffer(line, table) }

  /// Returns whether a new line may appear.
  func mayCome(_ line: String, _ table: String) -> Bool {
    if mayDiffer(line, table) { return true }
    switch self {
    case .uniqueKey, .addUniqueColumn:
      return line.hasPrefix("index sqlite_autoindex_\(table)") || line.hasPrefix("main index sqlite_autoindex_")
        || line.hasPrefix("column \(table).new:") || line.hasPrefix("values \(table).new:")
    case .addColumn: return line.hasPrefix("column \(table).new:") || line.hasPrefix("values \(table).new:")
    case .references, .foreignKey: return line.hasPrefix("foreign key of \(table): ")
    default: return false
    }
  }

  private func mayDiffer(_ line: String, _ table: String) -> Bool {
    if self == .nothing { return false }
    if isThereAndBack { return false }
    if line.hasPrefix("main table \(table) of ") { return true }
    switch self {
    case .recreate, .reorder, .addColumn, .addUniqueColumn, .check, .uniqueKey, .foreignKey: return false
    case .primaryKey:
      // An AUTOINCREMENT is removed with its key.
      return line.hasPrefix("column \(table).") || line.hasPrefix("index sqlite_autoindex_\(table)")
        || line.hasPrefix("main index sqlite_autoindex_\(table)") || line.hasPrefix("sqlite_sequence: ")
    case .rename, .drop:
      return ["column", "values"].contains { line.hasPrefix("\($0) \(table).c:") }
        || ["column", "values"].contains { line.hasPrefix("\($0) \(table).new name:") }
    default: return line.hasPrefix("column \(table).c:")
    }
  }
}

extension HairyShape {
  /// Returns the table's own definition, as methods would define it.
  fileprivate func definition(_ db: Database) throws -> NewTableDescription {
    let sql = try #require(try db.schema().object(.table, named: table)?.sql)
    let syntax = try SQLTree(parsing: sql)
    guard case .createTable(let parts) = syntax.statement else { throw CancellationError() }
    var definition = NewTableDescription(name: table)
    definition.columns = parts.columns.map { .sql(syntax.source.text(of: $0.tokens)) }
    definition.constraintsSQL = parts.constraints.map { syntax.source.text(of: $0.tokens) }
    if parts.isStrict { definition.options.insert(.strict) }
    if parts.isWithoutRowID { definition.options.insert(.withoutRowID) }
    return definition
  }
}
