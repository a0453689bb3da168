internal import CSQLite
package import Migrator
internal import SQLiteDialect

/// A form of a database's file: without encryption, or encrypted with a key and settings.
package protocol FileForm {
  /// Whether the file is encrypted.
  var isEncrypted: Bool { get }
  /// Whether the engine can check the encryption of each page by itself.
  var authenticatesPages: Bool { get }

  /// Opens a file of this form.
  func open(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection

  /// Prepares an attached database that is still empty to become one of this form.
  ///
  /// - Parameter original: The connection, whose main database is the one to be converted.
  func prepare(_ schema: String, attachedTo original: EngineConnection) throws(DatabaseError)
}

/// Gives a database's file another form: encrypted or not, another key or other settings.
///
/// The original is not touched before a copy beside it is whole, compared and written to the disk; then the copy takes its
/// place in one step, so that a process that is killed at any moment leaves the old database or the new one. The remainder
/// of a copy counts for nothing: the next conversion starts again. A file that no conversion has made is refused, not
/// removed.
package struct FileConversion {
  private let path: String
  private let library: EngineLibrary
  private let source: any FileForm
  private let target: any FileForm
  private let monitor: ConversionMonitor

  /// Whether the old form may open a file that has the new one already, which is possible since another process may have
  /// converted it after it was looked at.
  package var triesTargetFirst = false

  /// Whether the old form opens the new file, too, as where the salt alone changes.
  package var mayOpenAsBefore = false
  /// Whether the original stays, under another name.
  package var keepsOriginal = false
  /// The time to wait for other connections to the database.
  package var patience = Duration.zero

  /// Describes a conversion by one library, which opens both sides; nothing is opened yet.
  package init(
    path: String, library: EngineLibrary, from source: any FileForm, to target: any FileForm, monitor: ConversionMonitor
  ) {
    self.path = path
    self.library = library
    self.source = source
    self.target = target
    self.monitor = monitor
  }

  // MARK: - The course of a conversion

  /// Converts the file.
  ///
  /// - Throws: ``DatabaseError``, the original being as it was; `CancellationError`. Only when at the very end the folder
  ///   could not be written to the disk, or the plaintext not be removed, the file is converted all the same.
  package func run() throws -> ConversionOutcome {
    // 1. Find the file: its path without symbolic links names all other files.
    let files = try ConversionFiles(path: path, engine: library.description.name)
    let claim = ConversionClaim()
    defer { OpenFileRegistry.shared.release(claim) }
    monitor.reach(.waiting, 0, of: 1)
    let start = ContinuousClock.now
    return try ConversionClaim.$current.withValue(claim) {
      while true {
        try monitor.check()
        do {
          // 2. Keep the rest of this process from opening it.
          try OpenFileRegistry.shared.claim(files.path, for: claim, library: library)
          return try convert(files, claim)
        } catch let error as DatabaseError {
          if error.condition == .interrupted { try monitor.check() }
          // Connections of this process are busy without a code of the engine, which does not wait for them here.
          let isBusy = error.condition == .busy && error.resultCode == nil && ContinuousClock.now < start + patience
          guard isBusy || EngineOpener.mayPass(error, within: patience, since: start) else { throw error }
        }
        BusyWait.sleep(.milliseconds(2))
      }
    }
  }

  private func convert(_ files: ConversionFiles, _ claim: ConversionClaim) throws -> ConversionOutcome {
    if keepsOriginal { try files.isOriginalKept() }
    // 3. Open the original in its old form. With the new one, another process has converted it.
    guard let original = try openOriginal(files) else {
      try Self.finish(files)
      return .alreadyConverted
    }
    var hasLog = false
    do {
      hasLog = try files.hasLogMark() || original.journalMode() == JournalMode.wal.rawValue
      try checkSpace(original, files)
      // 4. Record the write-ahead log for the next conversion: this one may be killed after it has taken it into the file.
      if hasLog { try files.markLog() }
      // 5. Wait for all other connections, and keep them out.
      try original.takeExclusiveAccess(within: patience)
      guard !original.hasMoved else { throw DatabaseError.replaced(files.path, library) }
      // Another process that wanted to convert the file may have failed, and removed the mark.
      if hasLog { try files.markLog() }
      // 6. Remove what a killed conversion has left. Files that none has made are refused, not removed.
      try files.refuseUnknownFiles()
      try files.removeJournals()
      try files.removeCopy()
      try replace(original, files, claim, hasLog: hasLog)
    } catch {
      // The first error matters, and closing the connection releases all locks in any case.
      if (try? original.endExclusiveAccess(hasLog: hasLog)) != nil { try? files.removeLogMark() }
      try? original.close()
      throw error
    }
    try original.close()
    return .converted(original: keepsOriginal ? files.original : nil)
  }

  /// Makes the copy and puts it in the place of the original; on an error there is no copy.
  private func replace(
    _ original: EngineConnection, _ files: ConversionFiles, _ claim: ConversionClaim, hasLog: Bool
  ) throws {
    // 7. Create the copy. Its lock shows other processes that a conversion runs, until the end.
    let copy = try ConversionCopy.create(files, for: claim)
    defer { withExtendedLifetime(copy) {} }
    let replaced = FileIdentity(path: files.path)
    var hasNewName = false
    do {
      // 8. Fill it.
      try DatabaseCopier(connection: original, target: target, monitor: monitor).run(into: copy)
      copy.beginWriting()
      // 9. Open it again as its users will, and compare it with the original.
      try CopyVerification(
        original: original, files: files, source: mayOpenAsBefore ? nil : source, target: target, hasLog: hasLog,
        monitor: monitor
      ).run()
      // 10. Write it to the disk. Until here, everything can be undone.
      monitor.reach(.finishing, 0, of: 1)
      try copy.sync()
      try monitor.check()
      // 11. Let it take the original's name, in one step.
      hasNewName = keepsOriginal ? try files.keepOriginal() : false
      try copy.replaceOriginal()
    } catch {
      // The first error matters; what cannot be removed now, the next conversion removes.
      if hasNewName { try? files.remove(files.original) }
      try? original.rollback()
      try? copy.remove()
      throw error
    }
    // No one can open it by this name any longer, and its number may be another file's when it is closed.
    if let replaced { OpenFileRegistry.shared.release(replaced) }
    // 12. Remove the marks, and make the names last.
    try Self.finish(files)
    // 13. Overwrite the plaintext: only now, when not even a power cut brings the original's name back.
    if target.isEncrypted && !source.isEncrypted && !keepsOriginal { try original.scrub() }
    monitor.reach(.finishing, 1, of: 1)
  }

  // MARK: - Steps

  /// Does the last steps for a file that was converted by another process, which may have been killed before them.
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
    if triesTargetFirst, try target.opens(files.path, options) { return nil }
    do throws(DatabaseError) {
      return try source.open(files.path, options)
    } catch {
      guard error.isOfAnotherForm else { throw error }
      do throws(DatabaseError) {
        try target.open(files.path, options).close()
      } catch let second {
        // That it is neither form is worth less than that it is not the first one.
        guard second.condition == .beingConverted || second.condition == .fileReplaced else { throw error }
        throw second
      }
      return nil
    }
  }

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
}

extension FileForm {
  /// Whether a file has this form.
  package func opens(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      try open(path, options).close()
      return true
    } catch {
      guard error.isOfAnotherForm else { throw error }
      return false
    }
  }
}

extension DatabaseError {
  /// Whether opening failed since the file has another form.
  fileprivate var isOfAnotherForm: Bool { [.wrongKey, .notADatabase, .plaintextDatabase].contains(condition) }
}

extension EngineConnection {
  /// Takes the database for this connection alone, with all of its content in its file; an error as `.busy` when other
  /// connections kept it in use for the whole time.
  ///
  /// The order matters: a connection that sets the locking mode before it has the lock keeps a lock for reading while
  /// it waits, and two of them wait for each other (https://www.sqlite.org/pragma.html#pragma_locking_mode).
  fileprivate func takeExclusiveAccess(within timeout: Duration) throws(DatabaseError) {
    try setJournalMode(.delete, within: timeout)
    try begin(.exclusive)
    try execute("PRAGMA main.locking_mode = EXCLUSIVE")
    try commit()
  }

  /// Lets others use the database again, in the journal mode that it had.
  fileprivate func endExclusiveAccess(hasLog: Bool) throws(DatabaseError) {
    try rollback()
    // The lock is released by the next access.
    try execute("PRAGMA main.locking_mode = NORMAL; SELECT count(*) FROM main.sqlite_master")
    if hasLog { try setJournalMode(.wal, within: .seconds(1)) }
  }

  /// Removes the content of the database's file, which has lost its name.
  fileprivate func scrub() throws(DatabaseError) {
    let handle = try openHandle()
    let code = withUnsafePointer(to: library.functions) { csqlite_scrub($0, handle.database) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }
}
