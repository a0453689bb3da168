internal import CSQLiteLoader
package import Migrator

extension EngineLibrary {
  /// The loaded libraries, by the name passed to `dlopen`; the empty name stands for the process itself.
  private static let loaded = Lock<[String: EngineLibrary]>([:])

  /// Loads an engine's library; returns the existing object if the library is already loaded.
  ///
  /// - Parameters:
  ///   - family: The engine to load.
  ///   - path: The library to load, as a name or path for `dlopen`; nil to search for the engine's usual names.
  /// - Throws: ``DatabaseError`` as `.libraryMissing` when no library was found, `.libraryUnsuitable` when the library
  ///   is not the engine, lacks functions, or would call another SQLite in this process. No database file has been
  ///   opened.
  package static func load(_ family: EngineFamily, path: String? = nil) throws(DatabaseError) -> EngineLibrary {
    try load(family, from: path.map { [$0] } ?? family.libraryNames, isNamed: path != nil)
  }

  /// Returns the library to which a connection of the application belongs; inspects the connection without using it.
  ///
  /// - Parameter path: The library that is expected to own the connection; nil to search the process for the owner.
  /// - Throws: ``DatabaseError`` as `.libraryUnsuitable` when another copy of the engine owns the connection, or when
  ///   no owner was found, as for a closed connection; also the errors of ``load(_:path:)``.
  package static func load(
    _ family: EngineFamily, owning database: OpaquePointer, path: String? = nil
  ) throws(DatabaseError) -> EngineLibrary {
    var library: EngineLibrary?
    if let path {
      library = try load(family, path: path)
    } else {
      var owner = [CChar](repeating: 0, count: 4096)
      if csqlite_find_owner(UnsafeRawPointer(database), &owner, owner.count) != 0 {
        let name = String(decoding: owner.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        library = try load(family, from: [name.isEmpty ? nil : name], isNamed: true)
      }
    }
    if let library, library.owns(database) { return library }
    throw DatabaseError(
      .libraryUnsuitable, engine: family.name,
      message: library.map {
        "the connection does not belong to \($0.path): it is closed, or belongs to another copy of SQLite"
      }
        ?? "no SQLite of this process owns the connection: it is closed, or belongs to a copy whose functions are hidden",
      remedy: """
        Lend an open connection of the named library. A SQLite that is linked into the program must export \
        its functions.
        """)
  }

  private static func load(
    _ family: EngineFamily, from candidates: [String?], isNamed: Bool
  ) throws(DatabaseError) -> EngineLibrary {
    var search = LibrarySearch(family: family, isNamed: isNamed)
    for candidate in candidates {
      guard let library = try library(named: candidate, noting: &search) else { continue }
      if family.isEncrypting, library.cipherVersion == nil {
        search.note(candidate, unsuitable: "it is SQLite \(library.description.version) without encryption")
        continue
      }
      return library
    }
    throw search.error
  }

  private static func library(
    named name: String?, noting search: inout LibrarySearch
  ) throws(DatabaseError) -> EngineLibrary? {
    try loaded.withLock { libraries throws(DatabaseError) in
      if let known = libraries[name ?? ""] { return known }
      let capacity = 2000
      var message = [CChar](repeating: 0, count: capacity)
      var table: UnsafePointer<csqlite_library>?
      let status = csqlite_load(name, &table, &message, capacity)
      let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard status == CSQLITE_LOADED, let table else {
        if status == CSQLITE_UNSUITABLE {
          search.note(name, unsuitable: reason)
        } else {
          search.note(name, missing: reason)
        }
        return nil
      }
      // Connections on different threads require a library that was built thread-safe
      // (https://www.sqlite.org/c3ref/threadsafe.html).
      guard table.pointee.functions.threadsafe() != 0 else {
        search.note(name, unsuitable: "it was built without thread support")
        return nil
      }
      // Two names may refer to the same library: loading it again returns the same function addresses.
      let known = libraries.values.first { $0.image == table.pointee.image }
      let library = if let known { known } else { try EngineLibrary(table: table.pointee) }
      libraries[name ?? ""] = library
      return library
    }
  }
}

/// An engine that can be loaded: its name, the names of its library, and the features that the library must have.
package struct EngineFamily: Sendable {
  /// The engine's name, for messages.
  package let name: String

  /// The names to pass to `dlopen`, in order, when the caller named no library; nil stands for the symbols that are
  /// already in the process, as with static linking.
  package let libraryNames: [String?]

  /// The Debian package that contains the library.
  package let debianPackage: String
  /// Whether the library must be SQLCipher.
  package let isEncrypting: Bool

  /// Describes an engine.
  package init(name: String, libraryNames: [String?], debianPackage: String, isEncrypting: Bool) {
    self.name = name
    self.libraryNames = libraryNames
    self.debianPackage = debianPackage
    self.isEncrypting = isEncrypting
  }
}

/// The search for a library: the failed attempts, and the resulting error.
private struct LibrarySearch {
  let family: EngineFamily
  /// Whether the caller named the library; if so, no other library was tried.
  let isNamed: Bool
  var missing: [String] = []
  var unsuitable: [String] = []

  mutating func note(_ name: String?, missing reason: String) {
    // `dlopen`'s reason is useful when a file was named; in a search it would repeat "no such file" for each name.
    missing.append(isNamed ? reason : Self.place(name))
  }

  mutating func note(_ name: String?, unsuitable reason: String) {
    unsuitable.append("\(Self.place(name)): \(reason)")
  }

  var error: DatabaseError {
    let install = "Install it with `apt-get install \(family.debianPackage)`, or name the library's path"
    guard unsuitable.isEmpty else {
      return DatabaseError(
        .libraryUnsuitable, engine: family.name,
        message: "the library found is not usable as \(family.name) (\(unsuitable.joined(separator: "; ")))",
        remedy: "\(install). Do not link another SQLite with exported symbols into the program.")
    }
    let places = missing.joined(separator: ", ")
    return DatabaseError(
      .libraryMissing, engine: family.name,
      message: isNamed
        ? "the system's loader reports: \(places)"
        : "the library of \(family.name) was not found; searched the loader's library paths for \(places)",
      remedy: "\(install).")
  }

  private static func place(_ name: String?) -> String { name ?? "the symbols of this process" }
}
