internal import SQLSyntax

extension StatementFault {
  static let rebuild =
    "create a new table, copy the rows, drop the old table and rename the new one, in this order; in Swift, alter(table:) does this"

  private static let treeRepair =
    "make a backup, and write REPLACE INTO name_node (nodeno, data) VALUES (1, zeroblob(1000)), where name is the R-tree; then "
    + "SQLite can drop it. Create it again, and fill it from the rows that it indexes."

  /// The next step, as one or two sentences.
  package var advice: String {
    switch self {
    case .brokenObject(let kind, let name, true):
      "The \(kind) \"\(name)\" uses it: drop the \(kind) before this statement, and create it again afterwards, changed if needed."
    case .brokenObject("table", let name, false):
      "The definition of the table \"\(name)\" names something that does not exist, and SQLite changes no table then: before this "
        + "statement, correct the definition, and keep the rows: " + Self.rebuild + "."
    case .brokenObject(let kind, let name, false):
      "The \(kind) \"\(name)\" is broken, perhaps by an earlier statement of this migration, and SQLite changes no table then: drop "
        + "it before this statement, and create it again afterwards if it is needed. If an earlier migration broke it, `verify` "
        + "names it."
    case .hiddenReference(let name):
      "The statement does not name \(name): a trigger, a view or a foreign key that it uses does. Drop that trigger or view, or "
        + "create it again with the right name, before this statement; for a foreign key, create the table first, or correct the "
        + "name. If an earlier migration broke it, `verify` names it."
    case .objectExists(let name):
      "The database has \"\(name)\" already. If it was made by hand, or by another program, compare it, and mark the migration as "
        + "applied with `baseline`. If it is a left-over, drop it, or rename it if it is a table with rows."
    case .duplicateColumn(let name):
      "The table has a column \"\(name)\" already. If it was added by hand, or by another program, mark the migration as applied "
        + "with `baseline`; otherwise choose another name."
    case .letterCase(let newName):
      "Names that differ only in letter case are equal: rename it to another name first, and then, in a second statement, to "
        + "\"\(newName)\"."
    case .missing(let routine, let name, isStored: true):
      (routine.isOfVirtualTables ? "A virtual table" : "A trigger, view, index or column")
        + " of the database uses the \(routine.rawValue) \"\(name)\", which only your program has: run this in a program that "
        + "registers it." + Self.standIn(routine, name)
    case .missing(let routine, let name, isStored: false):
      "If \"\(name)\" is misspelled, correct the name. If your program adds this \(routine.rawValue), run this in a program that "
        + "registers it." + Self.standIn(routine, name)
    case .oldEngine(let feature?, nil, _):
      "The library was built without \(feature): use another library of this engine."
    case .oldEngine(_, _, isStored: true):
      "The schema uses syntax that this version of SQLite does not know. The file is not damaged, and was not changed: use a newer "
        + "library. If the newest one says the same, the named definition is broken."
    case .oldEngine(let feature?, let minor?, _):
      "\(feature.prefix(1).uppercased() + feature.dropFirst()) \(feature.hasSuffix(" columns") ? "need" : "needs") SQLite 3."
        + "\(minor): use a newer library, or write the statement without \(feature.hasSuffix(" columns") ? "them" : "it")."
    case .oldEngine: "Use a newer library."
    case .undroppableColumn: "SQLite cannot drop this column: " + Self.rebuild + "."
    case .unchangeableTable: "Another part of the table's definition uses it: " + Self.rebuild + "."
    case .advised(let advice): advice
    case .damagedVirtualTable(isTree: true): "An R-tree cannot be repaired: " + Self.treeRepair
    case .damagedVirtualTable(isTree: false):
      "The index of a virtual table is damaged. If it is a full-text table, its rows are not: rebuild it with INSERT INTO name "
        + "(name) VALUES ('rebuild'), where name is the table; one without content must be created and filled again. "
        + "If it is an R-tree, it cannot be repaired: " + Self.treeRepair
    case .refusedByVirtualTable:
      "A virtual table refuses the row: it has a row with this rowid, or its index is damaged. Check the file with `verify`."
    case .raisedByTrigger:
      "A trigger refuses the change, with this message: meet its condition, or drop it before this statement, and create it "
        + "again afterwards."
    case .onlyColumn:
      "It is the only column, and a table needs one: add the new column before this statement, or drop the table."
    case .newerFormat:
      "A newer version of SQLite has written the file or the table, or it is damaged. Nothing was changed: use a newer library. If "
        + "the newest one says the same, restore a backup."
    case .equalKeysInCopy:
      "Rows of the source have equal keys, or the target has a row with such a key: merge or delete them before this statement. If "
        + "queries show none, an index is damaged: check the file with `verify`, and run REINDEX."
    case .mergeMark:
      "A merge has left this mark: decide which lines are right, and delete the others and the marks (<<<<<<<, |||||||, ======= "
        + "and >>>>>>>)."
    case .shellComment: "Write `--` in place of `#`: comments in SQL begin with `--`."
    case .shellCommand:
      "This is a command of a shell (such as sqlite3 or psql): write the equivalent SQL, or delete the line."
    case .keyword(let word): "\(word) is a keyword: write it in double quotes where it is a name."
    case .viewChange(let name):
      "Change the tables that the view \"\(name)\" reads, or give the view an INSTEAD OF trigger first."
    case .mismatchedKey(let child, let parent):
      "A foreign key of \"\(child)\" refers to columns of \"\(parent)\" that are no key: create a unique index on exactly these "
        + "columns before this statement, with their own collations and without WHERE; or correct the foreign key."
    case .internalTable("sqlite_master"), .internalTable("sqlite_schema"):
      "It is the table of the schema, which only SQLite writes: write the CREATE, ALTER or DROP statement that is meant. Where "
        + "ALTER TABLE is not enough, " + Self.rebuild + "."
    case .internalTable(let name):
      "SQLite keeps \"\(name)\" itself, for a virtual table, AUTOINCREMENT or ANALYZE: drop or change the virtual table to "
        + "which it belongs, or delete the statement."
    }
  }

  private static func standIn(_ routine: SQLRoutine, _ name: String) -> String {
    routine == .function ? " `lint`, `check`, `plan` and `diff` accept a stand-in: `--function \(name)/COUNT`." : ""
  }

  /// Whether the database has already what the statement makes.
  package var isOfExisting: Bool {
    switch self {
    case .objectExists, .duplicateColumn: true
    default: false
    }
  }

  /// Whether the same statement can succeed only with another engine, or in another program.
  package var needsOtherProgram: Bool {
    switch self {
    case .missing(_, _, isStored: true), .oldEngine(_, _, isStored: true), .newerFormat: true
    default: false
    }
  }

  /// Parts of messages about rules of SQLite, each with the way out; the first ones are about columns that cannot be added
  /// (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
  static let rules = AdviceTable(
    """
    Cannot add a NOT NULL column with default value NULL => Give the column a constant default; or add it without NOT
      NULL, fill it, and rebuild the table.
    Cannot add a column with non-constant default => Add the column without the default and without NOT NULL, and fill
      it with UPDATE.
    Cannot add a PRIMARY KEY column => A primary key cannot be added: \(rebuild).
    Cannot add a UNIQUE column => Add the column without UNIQUE, and create a unique index on it.
    Cannot add a REFERENCES column with non-NULL default value => Add the column with the default NULL, and fill it
      with UPDATE; or run the migration with foreign keys deferred.
    cannot add a STORED column => A stored column cannot be added: use VIRTUAL, or \(rebuild).
    cannot drop column from => Only tables lose columns: drop the object, and create it again without the column.
    AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY => Write INTEGER PRIMARY KEY, with exactly this type;
      AUTOINCREMENT is seldom needed.
    Cannot add a column to a view => Drop the view, and create it again with the column.
    views may not be indexed => Create the index on the tables that the view reads.
    virtual tables may not be indexed => A virtual table has its own index: delete the statement.
    virtual tables may not be altered => Create the virtual table again with other columns, and fill it.
    cannot rename columns of virtual table => Create the virtual table again with other columns, and fill it.
    cannot create triggers on virtual tables => Create the trigger on the table from which the virtual table gets its
      rows.
    trigger on view: => Write INSTEAD OF in place of BEFORE or AFTER: a view has no other triggers.
    cannot create INSTEAD OF trigger on table => Write BEFORE or AFTER: only views have INSTEAD OF triggers.
    qualified table names are not allowed => In a trigger, write the table without the schema and the period.
    parameters are not allowed in | parameters prohibited in | trigger cannot use variables => Write the value itself
      in place of the parameter.
    subqueries prohibited in CHECK => Use a trigger that looks at the other rows, and calls RAISE(ABORT, 'message').
    subqueries prohibited in => An index or a generated column can use only the columns of its own row: store the value in
      a column, which a trigger can set.
    is not constant => A default cannot use other columns: use a generated column, or a trigger that sets the value.
    missing datatype for => A STRICT table needs a type for each column: INTEGER, REAL, TEXT, BLOB or ANY.
    unknown datatype for => The columns of a STRICT table have the types INTEGER, REAL, TEXT, BLOB and ANY.
    PRIMARY KEY missing on table => Declare a primary key, or delete WITHOUT ROWID.
    object name reserved for internal use => Choose another name: SQLite uses this one, and those that begin with
      sqlite_, itself.
    ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE => Name the columns of the primary key or of a unique
      index after ON CONFLICT, or create such an index before this statement.
    index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped => It belongs to a constraint of the
      table: \(rebuild).
    cannot INSERT into generated column => SQLite computes the column: leave it out of the statement.
    cannot UPDATE generated column => SQLite computes the column: change the columns from which it is computed.
    cannot use DEFAULT on a generated column => A generated column has no default: delete DEFAULT and its value.
    generated columns cannot be part of the PRIMARY KEY => Choose another primary key, and create a unique index on the
      column.
    error in generated column => Write STORED or VIRTUAL after the expression, or nothing.
    malformed JSON => A value is no JSON: write json_valid(value) in WHERE, or in a CASE around the expression, or
      correct the value.
    unsupported use of NULLS => Delete NULLS FIRST or NULLS LAST: in an index, NULLs are the smallest values.
    DISTINCT aggregates must => Write one argument after DISTINCT: group_concat(DISTINCT value) separates the values
      with commas.
    HAVING clause on a non-aggregate query => Write WHERE in place of HAVING, or add GROUP BY.
    non-deterministic use of | non-deterministic functions prohibited in => Use only functions that always give
      the same result: not random(), and no time functions with 'now'.
    misuse of aggregate => Write a condition on groups after HAVING; elsewhere, compute the value in a query of its own:
      (SELECT max(column) FROM table).
    misuse of window function => Compute it in a subquery, and use the column of its result.
    row value misused => Write IN (VALUES (1, 2), (3, 4)) for a list of rows, and compare only rows of equal length.
    datatype mismatch => A value is no integer, as an INTEGER PRIMARY KEY, a rowid and LIMIT require: correct the value, or
      give the table another key.
    cannot use RETURNING in a trigger => Delete RETURNING: a trigger returns no rows.
    may not be altered => A view cannot be renamed: drop it, and create it again with the new name.
    unrecognized column option => A column of a full-text table has no type: write only its name, or also UNINDEXED.
    JSON path error | bad JSON path => A path begins with $, such as $.name or $[0].
    SQL logic error => A virtual table has refused the statement: if it is a full-text table, correct the command, or create
      the table with its content, and with all its columns, before this statement.
    too many terms in compound SELECT => Write VALUES (...), (...) in place of SELECT ... UNION ALL, or several
      statements.
    """)
}
