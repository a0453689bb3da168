// Notes PATH [TEXT ...]: adds notes to a database, and prints all of them.
let arguments = CommandLine.arguments.dropFirst()
precondition(!arguments.isEmpty, "usage: Notes PATH [TEXT ...]")
let database = try NoteDatabase(path: arguments[1], migrator: migrator)
for text in arguments.dropFirst() { try database.add(text) }
for note in try database.notes() { print("\(note.wordCount): \(note.text)") }
