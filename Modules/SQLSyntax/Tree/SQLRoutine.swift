/// A part of the engine that an application can add.
package enum SQLRoutine: String, Hashable, Sendable {
  /// An SQL function.
  case function
  /// A rule for comparing text.
  case collation
  /// A tokenizer of full-text tables.
  case tokenizer
  /// A module of virtual tables.
  case module

  /// The beginnings of SQLite's messages about a missing part, before its name.
  package static let missing: [(prefix: String, routine: SQLRoutine)] = [
    ("no such function: ", .function), ("unknown function: ", .function), ("no such collation sequence: ", .collation),
    ("no such module: ", .module), ("unknown tokenizer: ", .tokenizer), ("no such tokenizer: ", .tokenizer),
  ]
}
