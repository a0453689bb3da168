/// The source of an engine's functions, for engines that run in this process.
///
/// Each copy of an engine has its own functions, so several engines can run in one process.
public struct EngineSource: Sendable, Equatable {
  /// The kinds of sources, for the backends.
  package enum Kind: Sendable, Equatable {
    /// The library that the backend finds.
    case automatic
    /// A library, by the path or name to pass to the system's loader.
    case library(String)
    /// The address of a table of functions.
    case linked(UInt)
  }

  /// The kind of source.
  package let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// Returns the library at a path; nil for the library that the backend finds.
  package init(libraryPath: String?) { self.init(libraryPath.map(Kind.library) ?? .automatic) }

  /// The usual library of the engine: loaded by its usual names, or the one that belongs to the system.
  public static let automatic = EngineSource(.automatic)

  /// Returns a library that is loaded when the first database is opened; no other library is tried.
  ///
  /// - Parameter path: The path of the library, or a name that the system's loader can find.
  public static func library(_ path: String) -> EngineSource { EngineSource(.library(path)) }

  /// Returns an engine that is linked into the program, statically or dynamically; nothing is loaded.
  ///
  /// - Parameter functions: The result of a function that a C target of the program defines with the macro
  ///   `CSQLITE_LINKED`, from `CSQLiteLinked.h`.
  public static func linked(_ functions: UnsafeRawPointer) -> EngineSource {
    EngineSource(.linked(UInt(bitPattern: functions)))
  }
}
