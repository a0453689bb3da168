internal import CSQLiteLoader
package import Migrator

extension EngineLibrary {
  /// A place where the functions of an engine can be found.
  private enum Place: Hashable, CustomStringConvertible {
    /// The library of a name or path for `dlopen`.
    case named(String)
    /// The symbols that are already in the process.
    case process
    /// The table at an address.
    case table(UInt)

    init(_ name: String?) { self = name.map(Place.named) ?? .process }

    var description: String {
      switch self {
      case .named(let name): name
      case .process: "the symbols of this process"
      case .table: "the engine that is linked into the program"
      }
    }
  }

  /// The libraries that are in use, by their places.
  private static let known = Lock<[Place: EngineLibrary]>([:])

  /// Returns an engine's library; loads it if it is neither linked nor loaded already.
  ///
  /// - Throws: ``DatabaseError`` as `.libraryMissing` when no library was found, `.libraryUnsuitable` when the library
  ///   is not the engine, lacks functions, mixes the functions of two libraries, or would call another SQLite in this
  ///   process. No database file has been opened.
  package static func load(
    _ family: EngineFamily, from source: EngineSource = .automatic
  ) throws(DatabaseError) -> EngineLibrary {
    switch source.kind {
    case .automatic: try load(family, from: places(of: family), isNamed: false)
    case .library(let path): try load(family, from: [.named(path)], isNamed: true)
    case .linked(let table): try load(family, from: [.table(table)], isNamed: true)
    }
  }

  /// Returns the library to which a connection of the application belongs; inspects the connection without using it.
  ///
  /// - Parameter source: The library that is expected to own the connection; `.automatic` to search the process for the
  ///   owner.
  /// - Throws: ``DatabaseError`` as `.libraryUnsuitable` when another copy of the engine owns the connection, or when
  ///   no owner was found, as for a closed connection; also the errors of ``load(_:from:)``.
  package static func load(
    _ family: EngineFamily, owning database: OpaquePointer, from source: EngineSource = .automatic
  ) throws(DatabaseError) -> EngineLibrary {
    let library: EngineLibrary? =
      source == .automatic ? try owner(of: database, family) : try load(family, from: source)
    if let library, library.owns(database) { return library }
    throw DatabaseError(
      .libraryUnsuitable, engine: family.name,
      message: library.map {
        "the connection does not belong to \($0.path): it is closed, or belongs to another copy of SQLite"
      }
        ?? "no SQLite of this process owns the connection: it is closed, or belongs to a copy whose functions are hidden",
      remedy: """
        Lend an open connection, and pass the engine that it belongs to as `engine:`, such as `.linked(...)` for a \
        SQLite that is linked into the program.
        """)
  }

  private static func owner(
    of database: OpaquePointer, _ family: EngineFamily
  ) throws(DatabaseError) -> EngineLibrary? {
    if let table = family.systemTable {
      let system = try load(family, from: [.table(table)], isNamed: true)
      if system.owns(database) { return system }
    }
    var path = [CChar](repeating: 0, count: 4096)
    guard csqlite_find_owner(UnsafeRawPointer(database), &path, path.count) != 0 else { return nil }
    let name = text(path)
    return try load(family, from: [name.isEmpty ? .process : .named(name)], isNamed: true)
  }

  private static func places(of family: EngineFamily) -> [Place] {
    (family.systemTable.map { [.table($0)] } ?? []) + family.libraryNames.map(Place.init)
  }

  private static func load(
    _ family: EngineFamily, from places: [Place], isNamed: Bool
  ) throws(DatabaseError) -> EngineLibrary {
    var search = LibrarySearch(family: family, isNamed: isNamed)
    if isNamed, case .table? = places.first { search.isLinked = true }
    for place in places {
      guard let library = try library(at: place, noting: &search) else { continue }
      if family.isEncrypting, library.cipherVersion == nil {
        search.note("\(place)", unsuitable: "it is SQLite \(library.description.version) without encryption")
        continue
      }
      return library
    }
    throw search.error
  }

  private static func library(
    at place: Place, noting search: inout LibrarySearch
  ) throws(DatabaseError) -> EngineLibrary? {
    try known.withLock { libraries throws(DatabaseError) in
      if let known = libraries[place] { return known }
      var message = [CChar](repeating: 0, count: 2000)
      var table: UnsafeMutablePointer<csqlite_library>?
      let status = fill(&table, from: place, &message)
      guard status == CSQLITE_LOADED, let table else {
        if status == CSQLITE_UNSUITABLE {
          search.note("\(place)", unsuitable: text(message))
        } else {
          search.note("\(place)", missing: text(message))
        }
        return nil
      }
      // Connections on different threads require a library that was built thread-safe
      // (https://www.sqlite.org/c3ref/threadsafe.html).
      guard table.pointee.functions.threadsafe() != 0 else {
        search.note("\(place)", unsuitable: "it was built without thread support")
        return nil
      }
      // Two places may have the same library, such as a name and a path.
      let known = libraries.values.first { $0.copy == table.pointee.copy }
      let library = if let known { known } else { try EngineLibrary(table) }
      libraries[place] = library
      return library
    }
  }

  private static func fill(
    _ table: inout UnsafeMutablePointer<csqlite_library>?, from place: Place, _ message: inout [CChar]
  ) -> csqlite_status {
    let capacity = message.count
    switch place {
    case .named(let name): return csqlite_load(name, &table, &message, capacity)
    case .process: return csqlite_load(nil, &table, &message, capacity)
    case .table(let address):
      guard let functions = UnsafePointer<csqlite_linked>(bitPattern: address) else { return CSQLITE_NOT_FOUND }
      return csqlite_link(functions, &table, &message, capacity)
    }
  }

  private static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The search for a library: the failed attempts, and the resulting error.
private struct LibrarySearch {
  let family: EngineFamily
  /// Whether the caller named the library; if so, no other library was tried.
  let isNamed: Bool
  /// Whether the engine is linked into the program, so that installing a library would not help.
  var isLinked = false
  var missing: [String] = []
  var unsuitable: [String] = []

  mutating func note(_ place: String, missing reason: String) {
    // `dlopen`'s reason is useful when a file was named; in a search it would repeat "no such file" for each name.
    missing.append(isNamed ? reason : place)
  }

  mutating func note(_ place: String, unsuitable reason: String) { unsuitable.append("\(place): \(reason)") }

  var error: DatabaseError {
    let advice =
      isLinked ? "Link \(family.name) into the program, before any other library that contains SQLite" : family.advice
    guard unsuitable.isEmpty else {
      return DatabaseError(
        .libraryUnsuitable, engine: family.name,
        message: "the library found is not usable as \(family.name) (\(unsuitable.joined(separator: "; ")))",
        remedy: "\(advice). Do not link another SQLite with exported symbols into the program.")
    }
    let places = missing.joined(separator: ", ")
    return DatabaseError(
      .libraryMissing, engine: family.name,
      message: isNamed
        ? "the system's loader reports: \(places)"
        : "the library of \(family.name) was not found; searched the loader's library paths for \(places)",
      remedy: "\(advice).")
  }
}
