internal import Migrator

/// An empty database in memory of the engine that the user means, for commands that try migrations.
struct ScratchDatabase: Sendable {
  /// The database that the command line names; nil when it names none.
  let target: DatabaseTarget?

  private let backend: ToolBackend
  private let location: ToolLocation

  /// Takes the engine of the database, or of `--backend`, or the first one.
  ///
  /// - Throws: ``ToolFailure`` when a database is named and cannot be used, or is named on the command line and not there or
  ///   empty.
  init(_ context: CommandContext) throws(ToolFailure) {
    if context.arguments.value(of: .database) ?? context.tool.database != nil {
      let target = try DatabaseTarget(context, creates: false)
      // One that was typed for this command is meant to be looked at; that of a variable or of the app may come later.
      guard !target.file.isNew || !context.arguments.contains(.database) else {
        throw target.absent(
          context.command.name == "diff"
            ? "Check the path, or compare something else, with --from." : "Check the path, or leave --database out.")
      }
      self.init(target)
      return
    }
    let backends = context.tool.backends
    let choice = BackendChoice(
      backends: backends, option: context.arguments.value(of: .backend(backends.map(\.name))),
      address: DatabaseAddress(path: "scratch"), keySource: try KeySource(context.arguments), hasCipherOptions: false)
    let backend = try choice.backend(for: .missing)
    self.init(
      target: nil, backend: backend,
      location: ToolLocation(path: "scratch", library: context.arguments.value(of: .library(of: backend))))
  }

  /// Takes the engine of a database.
  init(_ target: DatabaseTarget) {
    self.init(target: target, backend: target.backend, location: target.location)
  }

  private init(target: DatabaseTarget?, backend: ToolBackend, location: ToolLocation) {
    self.target = target
    self.backend = backend
    self.location = location
  }

  /// Opens a new one, which is gone when it is closed.
  func open() throws(ToolFailure) -> DatabaseQueue {
    var location = location
    // Nobody is asked for the key of a database that only memory holds.
    var zeros = [UInt8](repeating: 0, count: 32)
    if backend.needsKey, location.key == nil {
      location.key = ToolKey(form: .raw, secret: ToolSecret(consuming: &zeros))
    }
    do {
      return try DatabaseQueue(backend.makeBackend(location).scratch())
    } catch {
      throw ErrorReport.opening(error, location: location, backend: backend)
    }
  }
}
