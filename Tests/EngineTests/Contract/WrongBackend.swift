import Migrator
import MigratorTestKit
import TestEngines

/// A backend that is correct except for one fault.
struct WrongBackend: DatabaseBackend {
  let base: any DatabaseBackend
  let fault: Fault?
  var isScratch = false

  var label: String { base.label + (fault == .labelShowsKey ? " the secret" : "") }

  var isShared: Bool { base.isShared != (fault == .invertsSharing) }

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    do throws(DatabaseError) {
      let place = fault == .opensScratchInstead && !isScratch ? try base.scratch() : base
      return WrongConnection(try place.connect(changed(options)), fault: fault, isScratch: isScratch)
    } catch {
      if fault == .createsWhatIsMissing { return try base.scratch().connect(changed(options)) }
      throw WrongConnection.changed(error, by: fault)
    }
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend {
    if fault == .scratchIsDatabase { return self }
    return WrongBackend(base: try base.scratch(), fault: fault, isScratch: true)
  }

  private func changed(_ options: ConnectionOptions) -> ConnectionOptions {
    var options = options
    switch fault {
    case .ignoresReadOnly: options.isReadOnly = false
    case .ignoresForeignKeyOption, .alwaysEnforces: options.enforcesForeignKeys = true
    case .neverEnforces: options.enforcesForeignKeys = false
    case .ignoresBusyTimeout: options.busyTimeout = .zero
    case .waitsTooLong: options.busyTimeout += .seconds(2)
    case .ignoresJournalMode: options.journalMode = .delete
    case .scratchIsReadOnly: options.isReadOnly = options.isReadOnly || isScratch
    default: break
    }
    return options
  }
}

extension BackendUnderTest {
  /// Creates a backend for SQLite with a fault.
  init(fault: Fault?, in folder: TemporaryFolder) {
    self.init(name: "\(fault.map(\.rawValue) ?? "no fault")", folder: folder.path) { path in
      var backend = TestEngine.sqlite.inMemoryBackend
      if let path {
        let isChanged = fault == .changesPath
        backend = TestEngine.sqlite.backend(path: isChanged ? path.filter { $0.isASCII && $0 != "%" } : path)
      } else if fault == .keepsMemory {
        backend = TestEngine.sqlite.backend(path: folder.file("memory.db"))
      }
      return WrongBackend(base: backend, fault: fault)
    }
    if fault == .takesAnyKey { makeBackendWithAnotherKey = { [makeBackend] path in try makeBackend(path) } }
    if fault == .labelShowsKey { secrets = ["secret"] }
  }
}
