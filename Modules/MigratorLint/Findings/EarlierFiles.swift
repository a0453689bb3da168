internal import SQLMigrations
internal import SQLSyntax

/// The changes to columns by the files before the one that is inspected; each file is read once, and only if a question needs it.
final class EarlierFiles {
  private let files: [MigrationFile]
  private var readCount = 0
  private var keepers = ValueKeepers()

  /// Creates a reader of all files, in order.
  init(_ files: [MigrationFile]) { self.files = files }

  /// Returns whether earlier files have stored the values of a column elsewhere, which the file of the statement that drops it
  /// does not.
  func keep(_ column: String, dropped statement: LintedStatement) -> Bool {
    guard let place = place(of: statement.file) else { return false }
    while readCount <= place {
      keepers.read(files[readCount], isPending: false)
      readCount += 1
    }
    let isKept = { (keepers: ValueKeepers) in
      keepers.keepers(at: statement.index, of: [column], isOld: true)[column.asciiLowercased]?.isEmpty == false
    }
    return readCount == place + 1 && isKept(keepers) && !isKept(ValueKeepers(statement.file))
  }

  /// Returns the columns that the last file before another one has added to a table and not filled, in ASCII lower case.
  func columnsAdded(to table: String, before file: MigrationFile) -> Set<String> {
    guard let place = place(of: file), place > 0 else { return [] }
    let statements = files[place - 1].statements
    let names = statements.indices.compactMap { index -> String? in
      guard case .addColumn(let changed, let column) = SQLStatementEffect(of: statements[index].text),
        changed.asciiLowercased == table
      else { return nil }
      let name = column.asciiLowercased
      return statements[(index + 1)...].contains { SQLSource($0.text).names(name) } ? nil : name
    }
    return Set(names)
  }

  private func place(of file: MigrationFile) -> Int? { files.firstIndex { $0.identifier == file.identifier } }
}
