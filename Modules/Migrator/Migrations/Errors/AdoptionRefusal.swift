/// The reason why a migrator does not adopt the history of another tool; nothing was done.
///
/// `history` is the name of the history's table, or `user_version`.
public enum AdoptionRefusal: Sendable, Equatable, CustomStringConvertible {
  /// The `entries` do not map to migrations that the migrator knows.
  case unmapped(history: String, entries: [String])
  /// The `entry` was mapped to the migration `identifier`, which the migrator does not know.
  case unregistered(history: String, entry: String, identifier: String)
  /// Several registered migrations, `identifiers`, begin with the number of the `entry`.
  case ambiguous(history: String, entry: String, identifiers: [String])
  /// The other tool did not finish the migrations `entries`, so the state of the schema is unknown.
  case unfinished(history: String, entries: [String])
  /// The texts of these migrations do not match the checksums that the other tool recorded when it applied them.
  case edited(history: String, identifiers: [String])
  /// The table has columns that none of the supported tools uses.
  case unrecognizedTable(history: String, columns: [String])
  /// The version of an entry is neither a number nor text.
  case unreadableEntry(history: String)

  /// A description of the problem, and how to fix it.
  public var description: String {
    switch self {
    case .unmapped(let history, let entries):
      "the history in \(history) contains \(entries.quotedList), for which no migration is registered. Nothing was "
        + "done. The database may come from a newer version of the program. Otherwise register migrations for these "
        + "entries, map them with `mapping(_:)`, or keep them or leave them out with `unmapped(_:)`."
    case .unregistered(let history, let entry, let identifier):
      "entry \(entry) of the history in \(history) was mapped to \"\(identifier)\", which is not registered. Nothing "
        + "was done. Register it or correct the mapping."
    case .ambiguous(let history, let entry, let identifiers):
      "entry \(entry) of the history in \(history) matches several migrations: \(identifiers.quotedList). Nothing was "
        + "done. Map it with `mapping(_:)`."
    case .unfinished(let history, let entries):
      "according to the history in \(history), \(entries.quotedList) did not finish. Nothing was done. Repair "
        + "the database with the tool that wrote the history, and migrate again."
    case .edited(let history, let identifiers):
      "the texts of \(identifiers.quotedList) do not match the checksums in \(history): they were edited after they were "
        + "applied. Nothing was done. Restore the texts, or adopt the history with `acceptingEdits()`."
    case .unrecognizedTable(let history, let columns):
      "the table \(history) has the columns \(columns.quotedList), which do not match any supported tool. "
        + "Nothing was done. Do not adopt it; mark the applied migrations with `baseline(_:upTo:)` instead."
    case .unreadableEntry(let history):
      "the history in \(history) has an entry whose version is neither a number nor text. Nothing was done. Repair "
        + "the table, or mark the applied migrations with `baseline(_:upTo:)` instead of adopting it."
    }
  }
}
