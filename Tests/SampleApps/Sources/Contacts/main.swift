// Contacts PATH: migrates a database on a connection of SQLite.swift, and prints the number of its users.
precondition(CommandLine.arguments.count == 2, "usage: Contacts PATH")
let db = try openContacts(path: CommandLine.arguments[1])
print(try db.scalar("SELECT count(*) - count(name) FROM users") as? Int64 ?? 0)
