internal import Foundation

/// A connection that an application has opened itself, with functions of the library that the driver loads, too.
final class AppConnection {
  /// The engine's connection.
  let pointer: OpaquePointer
  private let library: UnsafeMutableRawPointer

  /// Opens a file and enforces foreign keys, as the library does on its own connections.
  init(path: String, library libraryPath: String) throws {
    typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    typealias Execute =
      @convention(c) (OpaquePointer, UnsafePointer<CChar>, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    var opened: OpaquePointer?
    guard let library = dlopen(libraryPath, RTLD_LAZY | RTLD_LOCAL), let open = dlsym(library, "sqlite3_open"),
      let execute = dlsym(library, "sqlite3_exec"), unsafeBitCast(open, to: Open.self)(path, &opened) == 0, let opened,
      unsafeBitCast(execute, to: Execute.self)(opened, "PRAGMA foreign_keys = 1", nil, nil, nil) == 0
    else { throw CocoaError(.fileReadUnknown) }
    (self.library, pointer) = (library, opened)
  }

  deinit {
    typealias Close = @convention(c) (OpaquePointer) -> Int32
    guard let close = dlsym(library, "sqlite3_close") else { return }
    // Succeeds, because no statement is left; the process ends anyway.
    _ = unsafeBitCast(close, to: Close.self)(pointer)
  }
}
