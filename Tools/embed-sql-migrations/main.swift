internal import Foundation
internal import SQLMigrations

// The work of the plugin EmbedSQLMigrations: reads a folder of SQL files and writes a Swift file that holds them.
//
//     embed-sql-migrations FOLDER SHOWN-FOLDER OUTPUT
//
// Paths in OUTPUT begin with SHOWN-FOLDER.
guard CommandLine.arguments.count == 4 else {
  complain("usage: embed-sql-migrations FOLDER SHOWN-FOLDER OUTPUT")
  exit(2)
}
let folder = MigrationFolder(CommandLine.arguments[1])
let source = EmbeddedSource(folder, shownAs: CommandLine.arguments[2])
let output = CommandLine.arguments[3]

let errors = source.errors
(errors + source.notices).forEach(complain)
guard errors.isEmpty else { exit(1) }
do {
  try source.write(to: output)
} catch {
  complain("\(output): error: \(error.localizedDescription)")
  exit(1)
}

func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
