internal import Migrator
internal import SQLiteEngine

/// A conversion as it was asked for.
struct Conversion {
  let path: String
  let options: ConversionOptions

  /// What the file may be, in the order in which that is tried.
  let sources: [CipherForm]

  let target: CipherForm

  /// Whether the target is tried first, where a file that has it may open in the form of a source, too.
  var triesTargetFirst = false

  /// Converts the file.
  ///
  /// - Parameter isCancelled: Asked now and then, on this thread.
  func run(isCancelled: @escaping () -> Bool) throws -> ConversionOutcome {
    let library = try EngineLibrary.load(.sqlCipher, path: options.library)
    let target = try target.form(library, named: options.library)
    let forms = try sources.map { source throws(DatabaseError) in try source.form(library, named: options.library) }
    if triesTargetFirst, try opens(target) {
      try FileConversion.finish(path: path, library: library)
      return .alreadyConverted
    }
    // The last one's error is the one of a file that is none of them.
    for (form, source) in zip(forms, sources).dropLast() where try opens(form) {
      return try convert(library, form, target, source.opens(self.target), isCancelled)
    }
    guard let last = forms.last, let source = sources.last else { return .alreadyConverted }
    return try convert(library, last, target, source.opens(self.target), isCancelled)
  }

  private func convert(
    _ library: EngineLibrary, _ source: FileConversion.Form, _ target: FileConversion.Form, _ mayOpenAsBefore: Bool,
    _ isCancelled: @escaping () -> Bool
  ) throws -> ConversionOutcome {
    let progress = options.progress
    let monitor = ConversionMonitor(
      report: { phase, completed, total in
        progress?(
          ConversionProgress(phase: .init(phase), completedUnitCount: completed, totalUnitCount: max(total, 1)))
      },
      isCancelled: isCancelled)
    let conversion = FileConversion(
      path: path, library: library, source: source, target: target,
      triesTargetFirst: triesTargetFirst, mayOpenAsBefore: mayOpenAsBefore, keepsOriginal: options.keepingOriginal,
      patience: options.patience, monitor: monitor)
    switch try conversion.run() {
    case .converted(let original): return .converted(original: original)
    case .alreadyConverted: return .alreadyConverted
    }
  }

  /// Whether the file has a form; it is neither changed nor created.
  private func opens(_ form: FileConversion.Form) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      let options = ConnectionOptions(isReadOnly: true, busyTimeout: options.patience, enforcesForeignKeys: false)
      try form.open(path, options).close()
      return true
    } catch {
      guard [.wrongKey, .notADatabase, .plaintextDatabase].contains(error.condition) else { throw error }
      return false
    }
  }
}

extension ConversionProgress.Phase {
  fileprivate init(_ phase: ConversionMonitor.Phase) {
    switch phase {
    case .waiting: self = .waiting
    case .copying: self = .copying
    case .verifying: self = .verifying
    case .finishing: self = .finishing
    }
  }
}
