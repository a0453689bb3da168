/// Why a migrator does not take over the history of another tool; nothing was done.
///
/// `history` is the table that holds it, or `user_version`.
public enum AdoptionRefusal: Sendable, Hashable, CustomStringConvertible {
  /// These entries stand for no migration that the migrator knows.
  case unmapped(history: String, entries: [String])
  /// The entry was mapped to a migration that the migrator does not know.
  case unregistered(history: String, entry: String, identifier: String)
  /// Several registered migrations begin with the entry's number.
  case ambiguous(history: String, entry: String, identifiers: [String])
  /// The other tool did not finish these migrations, so that the state of the schema is not known.
  case unfinished(history: String, entries: [String])
  /// The table has columns that none of the tools gives it.
  case unrecognizedTable(history: String, columns: [String])
  /// An entry's version is neither a number nor a text.
  case unreadableEntry(history: String)

  /// What is wrong with the history, and what to do.
  public var description: String {
    switch self {
    case .unmapped(let history, let entries):
      "the history in \(history) holds \(entries.quotedList), for which no migration is registered. Nothing was done. "
        + "The database may come from a newer version of the program. Otherwise register migrations for these "
        + "entries, map them with `mapping(_:)`, or say with `unmapped(_:)` that they are kept or left out."
    case .unregistered(let history, let entry, let identifier):
      "entry \(entry) of the history in \(history) was mapped to \"\(identifier)\", which is not registered. Nothing "
        + "was done. Register it or correct the mapping."
    case .ambiguous(let history, let entry, let identifiers):
      "entry \(entry) of the history in \(history) could be each of \(identifiers.quotedList). Nothing was done. Map "
        + "it with `mapping(_:)`."
    case .unfinished(let history, let entries):
      "the history in \(history) says that \(entries.quotedList) began and did not succeed. Nothing was done. Repair "
        + "the database with the tool that wrote it, and migrate again."
    case .unrecognizedTable(let history, let columns):
      "the table \(history) has the columns \(columns.quotedList), which are not those of a tool that is known. "
        + "Nothing was done. Do not adopt it; mark what is applied with `baseline(_:upTo:)` instead."
    case .unreadableEntry(let history):
      "the history in \(history) has an entry whose version is neither a number nor a text. Nothing was done. Repair "
        + "the table, or mark what is applied with `baseline(_:upTo:)` instead of adopting it."
    }
  }
}
