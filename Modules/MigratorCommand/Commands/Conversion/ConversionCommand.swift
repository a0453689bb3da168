internal import Migrator

struct ConversionCommand {
  private let context: CommandContext
  private let kind: ToolConversion.Kind
  private let backend: ToolBackend
  private let convert: @Sendable (ToolConversion) async throws -> ConversionOutcome
  private let path: String

  init(_ context: CommandContext, _ kind: ToolConversion.Kind) throws(ToolFailure) {
    self.context = context
    self.kind = kind
    let backends = context.tool.backends
    guard let text = context.arguments.value(of: .database) ?? context.tool.database else {
      throw .noDatabaseNamed(context.output.environment)
    }
    let address = try DatabaseAddress(text, backendNames: backends.map(\.name))
    path = address.path
    let wanted = context.arguments.value(of: .backend(backends.map(\.name))) ?? address.backendName
    guard backends.first(where: { $0.name == wanted })?.isServed != true else {
      throw .usage(
        "\(text) is on a server, and `\(context.command)` works on files", remedy: "Give the path of a database file.")
    }
    // The file may be unencrypted, and --database may name a backend without encryption: use one that can convert.
    let converting = backends.filter { $0.convert != nil }
    guard let backend = converting.first(where: { $0.name == wanted }) ?? converting.first,
      let convert = backend.convert
    else { throw .usage("no backend of this tool supports encryption") }
    self.backend = backend
    self.convert = convert
  }

  func run() throws(ToolFailure) -> ExitCode {
    try requireFile()
    let conversion = try conversion()
    let start = ContinuousClock.now
    let outcome = try perform(conversion)
    let duration = ContinuousClock.now - start
    var original: String?
    if case .converted(let path?) = outcome { original = FileSystem.path(of: path, besideGiven: self.path) }
    print(outcome, original, duration)
    context.output.json(
      Report(isConverted: outcome != .alreadyConverted, original: original, durationInSeconds: duration.roundedSeconds),
      of: context.command, database: path, backend: backend.name)
    return .done
  }

  // MARK: Before

  private func requireFile() throws(ToolFailure) {
    let file = DatabaseFile(path: path)
    // A text file has no key, so do not ask for one.
    if file.isText { throw .textFile(path) }
    guard file == .missing || file == .folder else { return }
    throw ToolFailure(
      exitCode: .cannotOpen,
      what: file == .missing ? "there is no database at \(path)" : "\(path) is a folder, not a database",
      remedy: file == .missing ? "Check the path." : "Give the path of a database file.")
  }

  private func conversion() throws(ToolFailure) -> ToolConversion {
    let arguments = context.arguments
    let bar = context.output.bar
    let name = FileSystem.name(of: path)
    return ToolConversion(
      kind: kind,
      location: ToolLocation(
        path: path, key: try key(isNew: kind == .encrypt), cipher: try CipherOptions(arguments),
        library: arguments.value(of: .library(of: backend))),
      newKey: kind == .rekey ? try key(prefix: "new-", isNew: true) : nil,
      newCipher: try CipherOptions(arguments, prefix: "new-"), lockTimeout: context.lockTimeout,
      keepsOriginal: arguments.contains(.keep),
      progress: { progress in
        let phase = progress.phase
        bar?.show(
          "\(phase.rawValue) \(name)", progress.completedUnitCount,
          of: phase.unit == nil ? 0 : progress.totalUnitCount, phase.unit ?? "")
      })
  }

  /// Returns the key that the options specify, or else asks the user for the key.
  ///
  /// - Parameter prefix: The prefix of the options for the key, such as `new-`.
  private func key(prefix: String = "", isNew: Bool) throws(ToolFailure) -> ToolKey {
    let isRaw = context.arguments.given.contains(prefix + OptionSpecification.rawKey.name)
    let reader = KeyReader(environment: context.output.environment, isRaw: isRaw)
    if let source = try KeySource(context.arguments, prefix: prefix) { return try reader.key(from: source) }
    let question = isNew ? "New key for \(path.oneLine): " : "Key for \(path.oneLine): "
    if let key = try reader.keyFromTerminal(question, twice: isNew) { return key }
    throw ToolFailure(
      exitCode: .cannotOpen, what: isNew ? "no new key was given for \(path)" : "no key was given for \(path)",
      remedy:
        "Give it with --\(prefix)key-file PATH, --\(prefix)key-env NAME or --\(prefix)key-fd N, or run the command in an interactive "
        + "terminal to be prompted for it.")
  }

  // MARK: The work

  /// Converts the database in a task that Ctrl-C cancels.
  private func perform(_ conversion: ToolConversion) throws(ToolFailure) -> ConversionOutcome {
    let result = context.interrupt.result { [convert] in try await convert(conversion) }
    context.output.bar?.end()
    do {
      return try result.get()
    } catch {
      var failure = failure(error, conversion)
      // The backend reports the resolved path; the user recognizes the path as typed.
      let resolved = FileSystem.resolve(path).path
      failure.what = failure.what.replacing(resolved, with: path)
      failure.why = failure.why.map { $0.replacing(resolved, with: path) }
      throw failure
    }
  }

  private func failure(_ error: any Error, _ conversion: ToolConversion) -> ToolFailure {
    let untouched = "everything; \(path) is unchanged"
    if error is CancellationError || context.interrupt.hasArrived {
      return ToolFailure(
        exitCode: .interrupted, what: "interrupted", rolledBack: untouched,
        remedy: "Run `\(context.toolName) \(context.command)` again to start over.")
    }
    guard let error = error as? DatabaseError else {
      return ToolFailure(
        exitCode: .cannotOpen, what: "\(path) was not converted", why: [String(describing: error)],
        rolledBack: untouched)
    }
    // The disk is full; another file has a name that the conversion needs for its copy or for the original; or a statement
    // failed that copies a part of the database.
    if [.full, .denied, .statement, .unsupported].contains(error.condition) {
      return ToolFailure(
        exitCode: [.full, .denied].contains(error.condition) ? .refused : .cannotOpen,
        what: error.condition == .full
          ? "there is not enough disk space to convert \(path)" : "\(path) was not converted",
        why: [error.reason], rolledBack: untouched, remedy: error.remedy)
    }
    var failure = FailureReport.opening(error, location: conversion.location, backend: backend)
    if error.condition == .plaintextDatabase {
      failure.remedy = "To encrypt it, run `\(context.toolName) encrypt`; otherwise name another file."
    }
    if error.condition == .notADatabase, kind == .encrypt {
      failure.what = "\(path) is already encrypted, with another key or in another format, or is not a database"
      failure.remedy = "If it is encrypted, `rekey` changes its key; otherwise name another file."
    }
    return failure
  }

  // MARK: Report

  /// The options needed to open the converted file, if its cipher settings differ from the library's defaults.
  private var newCipherOptions: String {
    let given = CipherOptions.specifications.filter { context.arguments.given.contains("new-" + $0.name) }
    return given.map { option in
      "--\(option.name)" + (context.arguments.value(named: "new-" + option.name).map { " " + $0 } ?? "")
    }.joined(separator: " ")
  }

  private func print(_ outcome: ConversionOutcome, _ original: String?, _ duration: Duration) {
    let output = context.output
    let (already, done) =
      switch kind {
      case .encrypt: ("is already encrypted with this key", "is now encrypted")
      case .decrypt: ("is not encrypted", "is no longer encrypted")
      case .rekey: ("already has this key", "has its new key")
      case .upgrade: ("already has this format", "has its new format")
      }
    guard outcome != .alreadyConverted else { return output.line("Nothing to do: \(path.oneLine) \(already).") }
    output.line("\(path.oneLine) \(done); it took \(duration.shortText).")
    if !newCipherOptions.isEmpty { output.line("From now on, open it with \(newCipherOptions).") }
    if let original { output.line("The original file is kept as \(original.oneLine).") }
    warnOfBackups()
  }

  /// Warns of earlier backups, which the conversion does not change.
  private func warnOfBackups() {
    guard kind == .encrypt || kind == .rekey else { return }
    let backups = context.backups(ofDatabaseAt: FileSystem.resolve(path).path)
    guard !backups.isEmpty else { return }
    context.output.warning(
      "earlier backups of \(path.oneLine) were not converted, and may open without the new key: "
        + listed(backups.map(\.oneLine)),
      remedy: "Delete them when they are no longer needed.")
  }

  private struct Report: Encodable {
    var isConverted: Bool
    var original: String?
    var durationInSeconds: Double
  }
}
