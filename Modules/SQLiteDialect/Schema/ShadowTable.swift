internal import Migrator
internal import SQLSyntax

/// The names of the shadow tables in which a virtual table of one of SQLite's own modules stores its rows
/// (https://www.sqlite.org/vtab.html#xshadowname).
struct ShadowTable {
  /// The names of the shadow tables, in lower case, whether or not they exist; empty for unknown modules.
  let names: [String]

  /// Names, in lower case, of shadow tables that the module creates for some virtual tables, but not for this one.
  ///
  /// A table with such a name is not a shadow table. The engine reports it as one nevertheless, since the engine
  /// compares only names.
  let otherNames: [String]

  /// Whether the names of the module's shadow tables are known, or it has none.
  let isKnown: Bool

  private static let modulesWithoutStorage: Set<String> = ["fts3tokenize", "fts4aux", "fts5vocab", "dbstat"]

  private static let suffixes: [String: [String]] = [
    "fts3": ["content", "segments", "segdir", "docsize", "stat"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["data", "idx", "content", "docsize", "config"],
    "rtree": ["node", "rowid", "parent"],
    "rtree_i32": ["node", "rowid", "parent"],
    "geopoly": ["node", "rowid", "parent"],
    "spellfix1": ["vocab"],
  ]

  init(of virtualTable: SchemaObject) {
    let arguments = ModuleArguments(virtualTable.sql ?? "")
    let absent = Self.absentSuffixes(arguments)
    isKnown = Self.suffixes[arguments.module] != nil || Self.modulesWithoutStorage.contains(arguments.module)
    let all = Self.suffixes[arguments.module, default: []]
    let start = virtualTable.name.asciiLowercased
    names = all.filter { !absent.contains($0) }.map { "\(start)_\($0)" }
    otherNames = all.filter(absent.contains).map { "\(start)_\($0)" }
  }

  private static func absentSuffixes(_ arguments: ModuleArguments) -> Set<String> {
    switch arguments.module {
    case "fts3": ["docsize"]
    case "fts4": absentInFTS4(arguments)
    case "fts5": absentInFTS5(arguments)
    default: []
    }
  }

  /// Returns the name suffixes of the shadow tables that FTS4 does not create with these options
  /// (https://www.sqlite.org/fts3.html#fts4_options).
  private static func absentInFTS4(_ arguments: ModuleArguments) -> Set<String> {
    var absent: Set<String> = []
    if arguments.option("content") != nil { absent.insert("content") }
    // The only value of `matchinfo` is `fts3`, which omits the table of sizes.
    if arguments.option("matchinfo") != nil { absent.insert("docsize") }
    return absent
  }

  /// Returns the name suffixes of the shadow tables that FTS5 does not create with these options
  /// (https://www.sqlite.org/fts5.html#external_content_and_contentless_tables).
  private static func absentInFTS5(_ arguments: ModuleArguments) -> Set<String> {
    var absent: Set<String> = []
    // A contentless table may still store its unindexed columns.
    let keepsUnindexed =
      arguments.columnWords.contains("unindexed") && arguments.option("contentless_unindexed") == "1"
    if arguments.option("content") != nil, !keepsUnindexed { absent.insert("content") }
    if arguments.option("columnsize") == "0" { absent.insert("docsize") }
    return absent
  }
}

/// The module and the arguments of a virtual table (https://www.sqlite.org/lang_createvtab.html).
struct ModuleArguments {
  /// The module's name in lower case; empty if the text does not define a virtual table.
  private(set) var module = ""
  /// The options, in order: full names in lower case, values without quotes.
  private var options: [(name: String, value: String)] = []
  /// The first tokens, in lower case and without quotes, of the arguments that are not options, such as column
  /// definitions.
  private(set) var names: [String] = []
  /// The keywords after the column names, in lower case.
  private(set) var columnWords: Set<String> = []

  init(_ sql: String) {
    guard let tree = try? SQLTree(parsing: sql), case .createVirtualTable(let table) = tree.statement else { return }
    module = table.module.folded
    for argument in table.arguments where !argument.isEmpty {
      let tokens = Array(tree.source.tokens[argument])
      if tokens.count > 1, tokens[0].kind == .word, tokens[1].isOperator("=") {
        let value = tokens.dropFirst(2).map(\.text).joined(separator: " ")
        options.append((Self.fullName(ofOption: tokens[0].folded, module), SQLIdentifier.unquoted(value)))
      } else {
        names.append(SQLIdentifier.unquoted(tokens[0].text).asciiLowercased)
        columnWords.formUnion(tokens.dropFirst().map(\.folded))
      }
    }
  }

  func option(_ name: String) -> String? { options.first { $0.name == name }?.value }

  /// The options of FTS5 in the order in which the module compares them with a given name.
  private static let fts5Options = [
    "prefix", "tokenize", "content", "contentless_delete", "contentless_unindexed", "content_rowid", "columnsize",
    "locale", "detail", "tokendata",
  ]

  /// Returns the full name of an option: FTS5 accepts abbreviations, and takes the first option that has the prefix.
  private static func fullName(ofOption given: String, _ module: String) -> String {
    guard module == "fts5" else { return given }
    return fts5Options.first { $0.hasPrefix(given) } ?? given
  }
}
