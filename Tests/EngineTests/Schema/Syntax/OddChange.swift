import Migrator
import SQLSyntax

/// A change of a table, by this library and by SQLite's own means.
enum OddChange: String, CaseIterable {
  case renameTable, renameFirst, renameLast, addColumn, addFilled, addCheckedColumn, dropFirst, dropLast
  case type, defaultValue, notNull, nullable, check, collation
  case reorder, uniqueKey

  /// The table before the change.
  struct Table {
    let name: String
    /// Whether it is a temporary table.
    let isTemporary: Bool
    /// The names of its columns, including generated ones.
    let columns: [String]
    /// The SQL that created it, with the name of each object as it was written there.
    let template: String
    /// The first column's declared type, default and NOT NULL constraint.
    let type: String
    let defaultValue: String?
    let isNotNull: Bool
    var quoted: String { "\(isTemporary ? "temp" : "main").\(name.quotedIdentifier)" }
    var first: String { columns[0] }
    var last: String { columns[columns.count - 1] }
  }

  /// SQLite's own way to a change.
  enum Reference {
    /// A statement.
    case statement(String)
    /// The definition of the new table, for the twelve steps.
    case steps(String)
    /// The definition of the new table, for the twelve steps, and the table with its new names.
    case renamingSteps(String, Table)
    /// None, so only the invariants are checked.
    case nothing
  }

  static let newName = "a new name"

  /// Returns the change by this library.
  func change(of table: Table) -> SchemaChange {
    func alter(_ steps: TableAlterationDescription...) -> SchemaChange {
      .alterTable(name: table.name, alterations: steps, schema: table.isTemporary ? "temp" : nil)
    }
    func column(_ property: ColumnChange.Property) -> SchemaChange {
      alter(.changeColumn(name: table.first, ColumnChange([property])))
    }
    switch self {
    case .renameTable:
      return .renameTable(name: table.name, newName: Self.newName, schema: table.isTemporary ? "temp" : nil)
    case .renameFirst: return alter(.renameColumn(name: table.first, newName: Self.newName))
    case .renameLast: return alter(.renameColumn(name: table.last, newName: Self.newName))
    case .addColumn: return alter(.addColumnSQL(Self.added))
    case .addFilled: return alter(.addColumnSQL(Self.addedFilled))
    case .addCheckedColumn: return alter(.addColumnSQL(Self.addedChecked))
    case .dropFirst: return alter(.dropColumn(name: table.first))
    case .dropLast: return alter(.dropColumn(name: table.last))
    case .type: return column(.type("NUMERIC"))
    case .defaultValue: return column(.defaultValue(.sql("7")))
    case .notNull: return column(.notNull(.init()))
    case .nullable: return column(.notNull(nil))
    case .check: return column(.addCheck(NewCheckDescription("\(table.first.quotedIdentifier) IS NOT 'never'")))
    case .collation: return column(.collation("RTRIM"))
    case .reorder: return alter(.reorderColumns([table.last]))
    case .uniqueKey: return alter(.addConstraint(.unique(TableKey(columns: [KeyColumn(table.last)]))))
    }
  }

  private static let added = "\"added, column\" VARCHAR(10) COLLATE NOCASE"
  private static let addedFilled = "\"added, column\" TEXT NOT NULL DEFAULT 'it''s'"
  private static let addedChecked =
    "\"added, column\" REFERENCES t2(b) CONSTRAINT \"a check\" CHECK (\"added, column\" IS NULL OR length(\"added, column\") > 1)"

  /// Returns SQLite's own way to the change.
  func reference(of table: Table, version: Int) -> Reference {
    func statement(_ text: String, since minimum: Int = 0) -> Reference {
      version >= minimum ? .statement("ALTER TABLE \(table.quoted) \(text)") : renamingSteps(table)
    }
    let newName = Self.newName.quotedIdentifier
    switch self {
    // Earlier versions do not change the views and triggers that use the table.
    case .renameTable: return statement("RENAME TO \(newName)", since: 26)
    case .renameFirst: return statement("RENAME COLUMN \(table.first.quotedIdentifier) TO \(newName)", since: 25)
    case .renameLast: return statement("RENAME COLUMN \(table.last.quotedIdentifier) TO \(newName)", since: 25)
    case .addColumn: return statement("ADD COLUMN \(Self.added)")
    case .addFilled: return statement("ADD COLUMN \(Self.addedFilled)")
    case .addCheckedColumn: return statement("ADD COLUMN \(Self.addedChecked)")
    case .dropFirst: return statement("DROP COLUMN \(table.first.quotedIdentifier)", since: 35)
    // SQLite takes a comma in a comment for the one before the column, and removes what the comment then includes.
    case .dropLast where table.template.contains(/,\s*(--[^\n]*\n\s*)*\/\*[^*]*,/): return .nothing
    case .dropLast: return statement("DROP COLUMN \(table.last.quotedIdentifier)", since: 35)
    default: return steps(table)
    }
  }

  /// Returns the new definition, edited as text after the first column's name and type.
  private func steps(_ table: Table) -> Reference {
    let pattern = /(?<start>CREATE [^(]*\()(?<name>x|a|NAME)(?<rest>[ ,)].*)/
    let type = table.type.isEmpty ? "" : " " + table.type
    guard let parts = table.template.wholeMatch(of: pattern)?.output, parts.rest.hasPrefix(type),
      !parts.rest.contains(" AS ")
    else { return .nothing }
    let rest = parts.rest.dropFirst(type.count)
    func definition(_ column: String, _ rest: some StringProtocol) -> Reference {
      .steps(parts.start + parts.name + column + rest)
    }
    switch self {
    // A type of quotes alone is reported as none.
    case .type where !rest.hasPrefix(" '"): return definition(" NUMERIC ", rest)
    case .defaultValue where table.defaultValue == nil: return definition(type + " DEFAULT 7 ", rest)
    case .notNull where !table.isNotNull: return definition(type + " NOT NULL ", rest)
    case .nullable where table.isNotNull && table.columns.count == 1 && rest.contains(" NOT NULL"):
      return definition(type, rest.replacing(" NOT NULL", with: ""))
    // Nothing changes, except that a NULL with a name is removed.
    case .nullable where !table.isNotNull && !rest.contains("CONSTRAINT"): return .statement("SELECT 1")
    case .reorder where rest.wholeMatch(of: /(, [a-z]+)+\)/) != nil:
      return .steps(parts.start + table.last + ", " + parts.name + type + rest.replacing(", \(table.last))", with: ")"))
    case .check: return definition(type + " CHECK(\(table.first.quotedIdentifier) IS NOT 'never') ", rest)
    case .collation where !rest.contains("COLLATE"): return definition(type + " COLLATE RTRIM ", rest)
    case .uniqueKey where rest.hasSuffix(")") && !rest.contains("--"):
      return definition(type, rest.dropLast() + ", UNIQUE(\(table.last.quotedIdentifier)))")
    default: return .nothing
    }
  }
}
