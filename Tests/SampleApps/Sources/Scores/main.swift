import GRDB

// Scores PATH: migrates a database on a connection of GRDB, and prints the number of its players.
precondition(CommandLine.arguments.count == 2, "usage: Scores PATH")
let dbPool = try DatabasePool(path: CommandLine.arguments[1])
try migrate(dbPool)
print(try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT count(score) FROM player") } ?? 0)
