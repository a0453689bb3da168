internal import SQLSyntax

/// The names of the files in which a migrator keeps earlier states: `NAME.backup-20260131T235959.123Z`.
///
/// Those of a migrator whose ledger has a name of its own bear it, `NAME.backup-library_history-20260131T235959.123Z`, so
/// that two migrators do not remove each other's.
struct BackupName {
  /// What comes before the moment.
  private let start: String

  /// The names of a migrator's states.
  ///
  /// - Parameters:
  ///   - database: The database's file name, without its folder.
  ///   - ledgerTable: The migrator's ledger.
  init(database: String, ledgerTable: String = DatabaseMigrator().ledgerTable) {
    let isDefault = ledgerTable.asciiLowercased == DatabaseMigrator().ledgerTable
    start = "\(database).backup-" + (isDefault ? "" : Self.escaped(ledgerTable) + "-")
  }

  /// The name of a state, at a moment.
  ///
  /// - Parameter date: As the ledger writes dates.
  func name(at date: String) -> String {
    start + String(date.unicodeScalars.filter { $0 != "-" && $0 != ":" })
  }

  /// Of the names in a folder, the states of this database that are too old to be kept.
  ///
  /// Names of other files, which nobody may remove, are none of them.
  func outdated(among names: [String], keeping count: Int) -> [String] {
    // Written so that the order of texts is the order of time.
    Array(names.filter(isState).sorted().dropLast(count))
  }

  /// Of the names in a folder, the ones of states that were never finished.
  func unfinished(among names: [String]) -> [String] {
    names.filter { name in
      name.hasSuffix(BackupFile.unfinishedSuffix) && isState(String(name.dropLast(BackupFile.unfinishedSuffix.count)))
    }
  }

  /// A table's name as a part of a file's name: what could mean anything there is written as its code.
  private static func escaped(_ table: String) -> String {
    table.asciiLowercased.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x61...0x7a, UInt8(ascii: "_"): String(Unicode.Scalar(byte))
      default: "%" + String(byte, radix: 16)
      }
    }.joined()
  }

  private func isState(_ name: String) -> Bool {
    guard name.hasPrefix(start) else { return false }
    let pattern = "99999999T999999.999Z".utf8
    let date = name.utf8.dropFirst(start.utf8.count)
    return date.count == pattern.count
      && zip(date, pattern).allSatisfy { $1 == UInt8(ascii: "9") ? (0x30...0x39).contains($0) : $0 == $1 }
  }
}
