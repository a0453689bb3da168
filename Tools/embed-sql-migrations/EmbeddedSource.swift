internal import Foundation
internal import SQLMigrations
internal import SQLSyntax

/// The Swift source that holds the migrations of a folder, and the messages about them in the form of a compiler's.
struct EmbeddedSource {
  private let folder: MigrationFolder
  private let shownPath: String

  /// - Parameter shownPath: The path that stands for the folder's in the program.
  init(_ folder: MigrationFolder, shownAs shownPath: String) { (self.folder, self.shownPath) = (folder, shownPath) }

  /// The errors: the problems of the folder, then the statements that cannot run.
  var errors: [String] {
    folder.problems.map(Self.message)
      + folder.files.flatMap { file in
        file.statements.compactMap(ImpossibleStatement.find).map { impossible in
          let place = "\(file.path):\(impossible.position.line):\(impossible.position.column)"
          return
            "\(place): error: \(impossible.what)\n\(place): note: the migration would fail on every device; correct the statement"
        }
      }
  }

  /// The notes about how the folder was understood.
  var notices: [String] {
    let notes = Set(folder.files.flatMap(\.notices))
    return folder.notices.map { "\(notes.contains($0) ? "note" : "warning"): \($0)" }
  }

  private static func message(_ problem: MigrationProblem) -> String {
    let place = "\(problem.path):\(problem.line ?? 1):\(problem.column ?? 1)"
    let (what, why, remedy) = problem.explanation(toolName: nil)
    let reason = why.hasSuffix(".") ? String(why.dropLast()) : why
    return "\(place): error: \(what)\n\(place): note: \(reason); \(remedy)"
  }

  /// Writes the source, unless the file holds it already: what does not change is not compiled again.
  func write(to path: String) throws {
    let data = Data(text)
    guard FileManager.default.contents(atPath: path) != data else { return }
    try data.write(to: URL(filePath: path), options: .atomic)
  }

  /// The source, in which each migration is a property: 1,000 of them in the elements of one array took the compiler 4 GiB of
  /// memory and a minute, and take 250 MB and a second like this.
  private var text: [UInt8] {
    let migrations = folder.migrations
    let names = migrations.indices.map { "migration\($0 + 1)" }
    var text = Array(
      """
      // Written by the plugin EmbedSQLMigrations from the folder \(shownPath).
      import SQLMigrations

      /// The migrations of the folder `\(shownPath)`.
      nonisolated enum Migrations {
        /// The migrations, in the order in which they are applied.
        static let all: [SQLMigration] = [
          \(names.joined(separator: ",\n    "))
        ]

      """.utf8)
    for (name, migration) in zip(names, migrations) {
      text += "\n  private static var \(name): SQLMigration {\n".utf8
      append(migration, to: &text)
      text += "  }\n".utf8
    }
    return text + "}\n".utf8
  }

  private func append(_ migration: SQLMigration, to text: inout [UInt8]) {
    let directives = migration.directives
    text += "    SQLMigration(\n      identifier: ".utf8
    Self.appendLiteral(migration.identifier, to: &text)
    text += ",\n      path: ".utf8
    Self.appendLiteral(shownPath + migration.path.dropFirst(folder.path.count), to: &text)
    text += ",\n      checksum: \"\(migration.checksum)\",\n      directives: SQLMigration.Directives(".utf8
    text += "foreignKeyChecks: .\(directives.foreignKeyChecks), merges: [".utf8
    for merged in directives.merges {
      Self.appendLiteral(merged, to: &text)
      text.append(UInt8(ascii: ","))
    }
    text += "], runsInTransaction: \(directives.runsInTransaction), violationsUntil: ".utf8
    Self.appendLiteral(directives.violationsUntil, to: &text)
    text += "),\n      sql: ".utf8
    Self.appendLiteral(migration.sql, to: &text)
    text += ")\n".utf8
  }

  /// Appends a literal of one line, in which no byte of the text is lost: a literal of several lines would lose CR.
  private static func appendLiteral(_ value: String?, to text: inout [UInt8]) {
    guard let value else {
      text += "nil".utf8
      return
    }
    text.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: "\""): text += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): text += "\\n".utf8
      case 0..<0x20, 0x7F: text += "\\u{\(String(byte, radix: 16))}".utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
