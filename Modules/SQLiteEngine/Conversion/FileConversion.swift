internal import CSQLite
package import Migrator

/// Makes a database another one in the form of its file: encrypted or not, with another key or other settings.
///
/// The original is not touched before a copy beside it is whole, compared and written to the disk; then the copy takes its
/// place in one step, so that whoever is killed at whatever moment leaves the old database or the new one. What is left of
/// a copy counts for nothing: the next conversion starts anew. A file that is not left of a copy is refused, not removed.
package struct FileConversion {
  /// How one side of a conversion is opened.
  package struct Form {
    /// Whether the file is encrypted.
    package let isEncrypted: Bool

    /// Whether the engine can check the encryption of each page by itself.
    package let marksPages: Bool

    /// Opens a file of this form.
    package let open: (_ path: String, ConnectionOptions) throws(DatabaseError) -> EngineConnection

    /// Prepares an attached database that is still empty to become one of this form; `original` is the main one.
    package let prepare: (_ original: EngineConnection, _ schema: String) throws(DatabaseError) -> Void

    /// Describes a form.
    package init(
      isEncrypted: Bool, marksPages: Bool,
      open: @escaping (_ path: String, ConnectionOptions) throws(DatabaseError) -> EngineConnection,
      prepare: @escaping (_ original: EngineConnection, _ schema: String) throws(DatabaseError) -> Void
    ) {
      self.isEncrypted = isEncrypted
      self.marksPages = marksPages
      self.open = open
      self.prepare = prepare
    }
  }

  /// What became of the file.
  package enum Result: Sendable {
    /// It has the new form now; the original is kept at the path, if one is given.
    case converted(original: String?)
    /// It had the new form already.
    case alreadyConverted
  }

  private let path: String
  private let library: EngineLibrary
  private let source: Form
  private let target: Form
  private let triesTargetFirst: Bool
  private let mayOpenAsBefore: Bool
  private let keepsOriginal: Bool
  private let patience: Duration
  private let monitor: ConversionMonitor

  /// Describes a conversion; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - library: The one library that opens both sides.
  ///   - source: What the file is.
  ///   - target: What it is to become.
  ///   - triesTargetFirst: Whether the old form may open a file that has the new one already: somebody else may have
  ///     converted it since it was looked at.
  ///   - mayOpenAsBefore: Whether the old form opens the new file, too, as where the salt alone changes.
  ///   - keepsOriginal: Whether the original stays, under another name.
  ///   - patience: For how long to wait for others to let go of the database.
  ///   - monitor: What is told meanwhile.
  package init(
    path: String, library: EngineLibrary, source: Form, target: Form, triesTargetFirst: Bool, mayOpenAsBefore: Bool,
    keepsOriginal: Bool, patience: Duration, monitor: ConversionMonitor
  ) {
    self.path = path
    self.library = library
    self.source = source
    self.target = target
    self.triesTargetFirst = triesTargetFirst
    self.mayOpenAsBefore = mayOpenAsBefore
    self.keepsOriginal = keepsOriginal
    self.patience = patience
    self.monitor = monitor
  }

  /// Converts the file.
  ///
  /// - Throws: ``DatabaseError``, the original being as it was; `CancellationError`. Only when at the very end the folder
  ///   could not be written to the disk, or the plaintext not be removed, the file is converted all the same.
  package func run() throws -> Result {
    let files = try ConversionFiles(path: path, engine: library.description.name)
    let claim = ConversionClaim()
    defer { OpenFileRegistry.shared.release(claim) }
    monitor.reach(.waiting, 0, of: 1)
    let start = ContinuousClock.now
    return try ConversionClaim.$current.withValue(claim) {
      while true {
        try monitor.check()
        do {
          try OpenFileRegistry.shared.claim(files.path, for: claim, library: library)
          return try convert(files, claim)
        } catch let error as DatabaseError {
          if error.condition == .interrupted { try monitor.check() }
          guard mayTryAgain(error, since: start) else { throw error }
        }
        BusyWait.sleep(.milliseconds(2))
      }
    }
  }

  /// Whether what kept the conversion from beginning may end.
  private func mayTryAgain(_ error: DatabaseError, since start: ContinuousClock.Instant) -> Bool {
    switch error.condition {
    // Somebody else has converted the file while this one waited for its turn.
    case .fileReplaced: ContinuousClock.now < start + max(patience, .seconds(1))
    // Connections of this process, which the engine does not wait for here.
    case .busy where error.resultCode == nil, .beingConverted: ContinuousClock.now < start + patience
    default: false
    }
  }

  // MARK: - Steps

  private func convert(_ files: ConversionFiles, _ claim: ConversionClaim) throws -> Result {
    if keepsOriginal { try files.isOriginalKept() }
    guard let original = try openOriginal(files) else {
      try Self.finish(files)
      return .alreadyConverted
    }
    var journalMode = JournalMode.delete.rawValue
    do {
      journalMode = try files.hasLogMark() ? JournalMode.wal.rawValue : original.journalMode()
      try checkSpace(original, files)
      if journalMode == JournalMode.wal.rawValue { try files.markLog() }
      try original.takeExclusiveAccess(within: patience)
      guard !original.hasMoved else { throw ConversionWait.replaced(files.path, library: library) }
      // Another one that wanted to convert the file may have given up, and removed the mark.
      if journalMode == JournalMode.wal.rawValue { try files.markLog() }
      try files.refuseForeign()
      try files.removeJournals()
      try files.removeCopy()
      try replace(original, files, claim, journalMode: journalMode)
    } catch {
      // The first error matters, and closing the connection gives up all locks in any case.
      if (try? original.giveUpExclusiveAccess(journalMode: journalMode)) != nil { try? files.removeLogMark() }
      try? original.close()
      throw error
    }
    try original.close()
    return .converted(original: keepsOriginal ? files.original : nil)
  }

  /// Does what is left to be done for a file that was converted by somebody who may have been killed at the very end.
  package static func finish(path: String, library: EngineLibrary) throws(DatabaseError) {
    try finish(ConversionFiles(path: path, engine: library.description.name))
  }

  private static func finish(_ files: ConversionFiles) throws(DatabaseError) {
    try files.removeLogMark()
    try files.removeFulfilledClaim()
    try files.syncFolder()
  }

  /// Opens the file in its old form; nil when it has the new one.
  private func openOriginal(_ files: ConversionFiles) throws(DatabaseError) -> EngineConnection? {
    let options = ConnectionOptions(busyTimeout: patience, enforcesForeignKeys: false)
    if triesTargetFirst {
      do throws(DatabaseError) {
        try target.open(files.path, options).close()
        return nil
      } catch {
        guard Self.tellsOfAnotherForm(error) else { throw error }
      }
    }
    do throws(DatabaseError) {
      return try source.open(files.path, options)
    } catch {
      guard Self.tellsOfAnotherForm(error) else { throw error }
      do throws(DatabaseError) {
        try target.open(files.path, options).close()
      } catch let second {
        // What tells of a third form is worth more than that it is not the first one.
        guard second.condition == .beingConverted || second.condition == .fileReplaced else { throw error }
        throw second
      }
      return nil
    }
  }

  private static func tellsOfAnotherForm(_ error: DatabaseError) -> Bool {
    [.wrongKey, .notADatabase, .plaintextDatabase].contains(error.condition)
  }

  /// Refuses to begin what the disk has no room for.
  private func checkSpace(_ original: EngineConnection, _ files: ConversionFiles) throws(DatabaseError) {
    let pages =
      (try original.integer("PRAGMA main.page_count") ?? 0) - (try original.integer("PRAGMA main.freelist_count") ?? 0)
    // Encryption takes a part of each page for itself, and pages of another size are filled in another way.
    let needed = max(pages, 1) * (try original.integer("PRAGMA main.page_size") ?? 4096) / 10 * 11 + 65536
    guard let available = files.availableBytes(), available < needed else { return }
    throw original.error(
      .full, "the copy of \(files.path) needs \(needed) bytes beside it, and \(available) are free",
      remedy: "Free space on this disk; nothing was changed.")
  }

  /// Makes the copy and puts it in the place of the original; on an error there is no copy.
  private func replace(
    _ original: EngineConnection, _ files: ConversionFiles, _ claim: ConversionClaim, journalMode: String
  ) throws {
    let copy = try ConversionCopy.create(files, for: claim)
    // Its lock tells others of the conversion, until the end.
    defer { withExtendedLifetime(copy) {} }
    let replaced = FileIdentity(path: files.path)
    var hasNewName = false
    do {
      try fill(from: original, files)
      copy.beginWriting()
      try verify(against: original, files, journalMode: journalMode)
      monitor.reach(.finishing, 0, of: 1)
      try copy.sync()
      try monitor.check()
      hasNewName = keepsOriginal ? try files.keepOriginal() : false
      try files.swap()
    } catch {
      // The first error matters; what cannot be removed now, the next conversion removes.
      if hasNewName { try? files.remove(files.original) }
      try? original.rollback()
      try? copy.remove()
      throw error
    }
    // Nobody can open it by this name any more, and its number may be another file's when it is closed.
    if let replaced { OpenFileRegistry.shared.release(replaced) }
    try files.removeLogMark()
    try files.removeFulfilledClaim()
    try files.syncFolder()
    // Only now, when not even a failing power supply brings the original's name back.
    if target.isEncrypted && !source.isEncrypted && !keepsOriginal { try original.scrub() }
    monitor.reach(.finishing, 1, of: 1)
  }

  /// Fills the copy.
  private func fill(from original: EngineConnection, _ files: ConversionFiles) throws(DatabaseError) {
    let pages = max(try original.integer("PRAGMA main.page_count") ?? 0, 1)
    let pageSize = try original.integer("PRAGMA main.page_size") ?? 4096
    monitor.reach(.copying, 0, of: pages)
    guard let attach = try original.prepareStatement("ATTACH ? AS \(DatabaseCopying.schema) KEY ''", utf8Offset: 0).0
    else { return }
    // With an empty key: the key comes by a call of its own, and is in no statement that could be logged or traced.
    try attach.bind(.text(files.copy), at: 0)
    _ = try attach.step()
    try target.prepare(original, DatabaseCopying.schema)
    watch(original) { monitor.reach(.copying, min(files.copiedBytes() / pageSize, pages - 1), of: pages) }
    try DatabaseCopying(connection: original).run()
    original.setProgressHandler(everyInstructions: 1, handler: nil)
    attach.reset()
    try original.execute("DETACH \(DatabaseCopying.schema)")
    monitor.reach(.copying, pages, of: pages)
  }

  /// Opens the copy anew, as its users will, and compares it with the original; last it gets the original's journal mode.
  private func verify(
    against original: EngineConnection, _ files: ConversionFiles, journalMode: String
  ) throws {
    monitor.reach(.verifying, 0, of: 1)
    let options = ConnectionOptions(busyTimeout: .zero, enforcesForeignKeys: false)
    if !mayOpenAsBefore { try refuseOldForm(files, options) }
    let copy = try target.open(files.copy, options)
    do {
      watch(copy) {}
      try DatabaseComparison(original: original, copy: copy, monitor: monitor).run()
      if target.isEncrypted, target.marksPages { try DatabaseComparison.checkPages(of: copy) }
      copy.setProgressHandler(everyInstructions: 1, handler: nil)
      if journalMode == JournalMode.wal.rawValue { try copy.setJournalMode(.wal, within: .zero) }
    } catch {
      // The first error matters; the file is removed.
      try? copy.close()
      throw error
    }
    try copy.close()
    if journalMode == JournalMode.wal.rawValue { try confirmLog(files, options) }
    // Removed by the engine, unless that failed, which it does not tell.
    try files.remove(files.copy + "-shm")
    for name in ["-wal", "-journal"] where FileIdentity(path: files.copy + name) != nil {
      throw original.error(.inputOutput, "the engine left \(files.copy + name) behind")
    }
  }

  /// Makes sure that the copy has its journal mode in its header: the engine says that it has changed to a write-ahead log
  /// even where writing the header failed.
  private func confirmLog(_ files: ConversionFiles, _ options: ConnectionOptions) throws(DatabaseError) {
    let copy = try target.open(files.copy, options)
    let mode = try copy.journalMode()
    try copy.close()
    guard mode != JournalMode.wal.rawValue else { return }
    throw DatabaseError(
      .inputOutput, engine: library.description.name, message: "the copy could not be given a write-ahead log",
      remedy: "The original was not changed. Check the disk, and try again.")
  }

  /// Makes sure that the copy does not open as the original did: it would not have become what it was to become.
  private func refuseOldForm(_ files: ConversionFiles, _ options: ConnectionOptions) throws(DatabaseError) {
    do throws(DatabaseError) {
      try source.open(files.copy, options).close()
    } catch {
      guard !Self.tellsOfAnotherForm(error) else { return }
      throw error
    }
    throw DatabaseError(
      .corrupt, engine: library.description.name, message: "the copy opens in the way in which the original did",
      remedy: "The original was not changed. The new key and settings open it already, or are the old ones.")
  }

  private func watch(_ connection: EngineConnection, _ tell: @escaping () -> Void) {
    connection.setProgressHandler(everyInstructions: 5000) { [monitor] in
      tell()
      return !monitor.wasCancelled
    }
  }
}
