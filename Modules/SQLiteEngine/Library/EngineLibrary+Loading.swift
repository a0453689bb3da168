internal import CSQLite
package import Migrator

extension EngineLibrary {
  /// The libraries that were loaded, by what the loader was asked for; the empty name stands for the process itself.
  private static let loaded = Lock<[String: EngineLibrary]>([:])

  /// Loads an engine's library, or gives the one that was loaded before.
  ///
  /// - Parameters:
  ///   - family: Which engine is wanted.
  ///   - path: The library to load, as `dlopen` takes it; nil to search for the engine's usual names.
  /// - Throws: ``DatabaseError`` as `.libraryMissing` when there is none, `.libraryUnsuitable` when one was found that
  ///   is not the engine, lacks functions, or would call another SQLite of this process. No file has been touched then.
  package static func load(_ family: EngineFamily, path: String? = nil) throws(DatabaseError) -> EngineLibrary {
    let candidates = path.map { [$0] } ?? family.libraryNames
    var search = LibrarySearch(family: family, isNamed: path != nil)
    for candidate in candidates {
      guard let library = library(named: candidate, noting: &search) else { continue }
      if family.isEncrypting, library.cipherVersion == nil {
        search.note(candidate, unsuitable: "it is SQLite \(library.description.version) without encryption")
        continue
      }
      return library
    }
    throw search.error
  }

  private static func library(named name: String?, noting search: inout LibrarySearch) -> EngineLibrary? {
    loaded.withLock { libraries in
      if let known = libraries[name ?? ""] { return known }
      var capacity = 2000
      var message = [CChar](repeating: 0, count: capacity)
      var table: UnsafePointer<csqlite_library>?
      capacity = message.count
      let status = csqlite_load(name, &table, &message, capacity)
      let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard status == CSQLITE_LOADED, let table else {
        search.note(name, status: status, reason: reason)
        return nil
      }
      // Connections on different threads need a library that was built for threads
      // (https://www.sqlite.org/c3ref/threadsafe.html).
      guard table.pointee.functions.threadsafe() != 0 else {
        search.note(name, unsuitable: "it was built without support for threads")
        return nil
      }
      // Two names may lead to one library, whose second load gave the same addresses.
      let library = libraries.values.first { $0.image == table.pointee.image } ?? EngineLibrary(table: table.pointee)
      libraries[name ?? ""] = library
      return library
    }
  }
}
