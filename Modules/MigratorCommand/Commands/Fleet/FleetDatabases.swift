internal import Migrator
internal import SQLMigrations

/// The databases of a fleet, without duplicates.
struct FleetDatabases: Sendable {
  /// The databases as the user named them.
  private(set) var addresses: [String] = []

  private let backendNames: [String]

  /// Finds the databases that the options name.
  init(_ context: CommandContext) throws(ToolFailure) {
    let arguments = context.arguments
    backendNames = context.tool.backends.map(\.name)
    let keyFolder = arguments.value(of: .keyFolder)
    if keyFolder != nil, try KeySource(arguments) != nil {
      throw .usage(
        "--key-dir specifies a key for each database, but another option specifies one for all",
        remedy: "Omit one of the two.")
    }
    let patterns = arguments.values(of: .databases)
    let list = arguments.value(of: .databasesFrom)
    guard !patterns.isEmpty || list != nil else {
      let option = OptionSpecification.fleet.first { arguments.typed.contains($0.name) }?.name ?? ""
      throw .usage(
        "--\(option) works only with --databases or --databases-from",
        remedy: "Omit it, or add one of these two options.")
    }
    guard !arguments.contains(.database) else {
      throw .usage(
        "--database specifies one database, but another option specifies many", remedy: "Omit one of the two.")
    }
    if let keyFolder, !FileSystem.isFolder(keyFolder) {
      throw .usage(
        "there is no folder \"\(keyFolder)\"",
        remedy: "Use --key-dir DIR to name the folder that contains the key files.")
    }
    for pattern in patterns { addresses += try files(matching: pattern) }
    if let list { addresses += try Self.lines(of: list) }
    // Compared by bytes: two names that are equal as texts may belong to two files.
    var known: Set<[UInt8]> = []
    addresses = addresses.filter { known.insert(Array(FileSystem.identity(of: path(of: $0)).utf8)).inserted }
    if let shard = try Shard(arguments) { addresses = addresses.filter(shard.contains) }
  }

  /// Finds the databases that the settings of an environment name.
  ///
  /// Leaves out what cannot be listed: on the machine of a developer, the files of production need not exist.
  init(of settings: [ConfigurationFile.Setting], in context: CommandContext) {
    backendNames = context.tool.backends.map(\.name)
    for setting in settings {
      for value in setting.values {
        switch setting.option {
        case .database: addresses.append(value)
        case .databases: addresses += (try? files(matching: value)) ?? []
        // Reading a pipe would take the list from the command.
        case .databasesFrom where (try? FileSystem.status(of: value))?.kind == .regular:
          addresses += (try? Self.lines(of: value)) ?? []
        default: break
        }
      }
    }
  }

  /// Returns the path without the name of a backend.
  func path(of address: String) -> String {
    // An address that is not valid is reported when it is opened.
    (try? DatabaseAddress(address, backendNames: backendNames))?.path ?? address
  }

  private func files(matching pattern: String) throws(ToolFailure) -> [String] {
    // SQLite keeps these next to a database (https://www.sqlite.org/tempfiles.html).
    let others = ["-journal", "-wal", "-shm"]
    let names: [[UInt8]]
    do throws(SystemFailure) {
      names = try FileSystem.paths(matching: pattern)
    } catch {
      throw ToolFailure(
        exitCode: .cannotOpen, what: error.what, why: [error.reason],
        remedy: "Give another pattern.")
    }
    var files = try names.map { name throws(ToolFailure) in
      try Self.text(name, "matching \(pattern)", remedy: "Rename the file or its folder.")
    }
    files.removeAll { path in
      others.contains(where: path.hasSuffix) || BackupFolder.isBackup(FileSystem.name(of: path))
    }
    guard !files.isEmpty else {
      throw ToolFailure(
        exitCode: .cannotOpen, what: "no file matches \(pattern)",
        remedy: "Check the pattern. To create databases, list their paths in a file, and add --databases-from FILE.")
    }
    return files.map { path in
      // A file may have a name that is also an address, such as "sqlite:a.db".
      (try? DatabaseAddress(path, backendNames: backendNames)) == DatabaseAddress(path: path) ? path : "./" + path
    }
  }

  private static func lines(of list: String) throws(ToolFailure) -> [String] {
    let place = list == "-" ? "on standard input" : "in the list \"\(list)\""
    var bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try FileSystem.content(of: list == "-" ? nil : list)
    } catch {
      throw .usage("the databases \(place) cannot be read", why: error.reason, remedy: "Check the path of the list.")
    }
    // Some text editors begin a file with a byte order mark.
    let mark = "\u{FEFF}".utf8
    if bytes.starts(with: mark) { bytes.removeFirst(mark.count) }
    var lines: [String] = []
    for part in bytes.split(separator: UInt8(ascii: "\n")) {
      let line = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      let text = try text(
        line, place, remedy: "Save the list as UTF-8. If the name of a file is not UTF-8, rename the file.")
      if !text.allSatisfy(\.isWhitespace) { lines.append(text) }
    }
    guard !lines.isEmpty else {
      throw .usage("there are no databases \(place)", remedy: "Write the path of one database on each line.")
    }
    return lines
  }

  /// Returns a name as text; a repaired name would be that of another file.
  private static func text(
    _ bytes: some Sequence<UInt8>, _ place: String, remedy: String
  ) throws(ToolFailure) -> String {
    let bytes = Array(bytes)
    if let text = ScriptFile.validText(bytes) { return text }
    let name = String(decoding: bytes, as: UTF8.self).oneLine
    throw .usage("the name \(name) \(place) is not UTF-8", remedy: remedy)
  }
}

/// A part of the databases, for one of several machines.
///
/// Only the spelling of a database's path decides to which part it belongs. A database that is added or removed
/// therefore does not move the others to different parts.
private struct Shard {
  private let index: UInt64
  private let count: UInt64

  init?(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard let text = arguments.value(of: .shard) else { return nil }
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt64($0) ?? 0 }
    guard numbers.count == 2, numbers[0] > 0, numbers[0] <= numbers[1] else {
      throw .usage(
        "--shard cannot be \"\(text)\"", remedy: "Give the number of this part and the number of parts, such as 2/4.")
    }
    (index, count) = (numbers[0] - 1, numbers[1])
  }

  /// Returns whether a path belongs to the part, by its FNV-1a hash (https://www.rfc-editor.org/rfc/rfc9923).
  func contains(_ path: String) -> Bool {
    let hash = path.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    // The lowest bits of similar paths differ too little.
    return (hash >> 32) % count == index
  }
}
