internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect

/// The form of a database file: unencrypted, or encrypted with a key and settings.
package protocol FileForm {
  /// Whether the file is encrypted.
  var isEncrypted: Bool { get }
  /// Whether the engine can verify the encryption of each page.
  var authenticatesPages: Bool { get }

  /// Opens a file of this form.
  func open(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection

  /// Prepares a database, which is still empty and attached to the original's connection, to be written in this form.
  func prepare(_ schema: String, attachedTo original: EngineConnection) throws(DatabaseError)
}

/// The conversion of a database file to another form: its encryption, its decryption, or a change of its key or
/// settings.
///
/// The original is unchanged until the copy beside it is complete, verified and written to disk. The copy then
/// atomically replaces the original, so a process that is killed at any moment leaves the old database or the new one.
/// The next conversion removes a partial copy and starts again. A file that no conversion created is rejected, not
/// removed.
package struct FileConversion {
  private let path: String
  private let library: EngineLibrary
  private let source: any FileForm
  private let target: any FileForm
  private let monitor: ConversionMonitor

  /// Whether to try the new form first: the old one can open it, too, and another process may have converted the file.
  package var triesTargetFirst = false

  /// Whether the converted file may still open in the old form, as when only the salt changes.
  package var mayOpenAsBefore = false
  /// Whether the original is retained, under another name.
  package var keepsOriginal = false
  /// The time to wait for other connections to the database.
  package var patience = Duration.zero

  /// Describes a conversion, without opening a file; one library opens both the original and the copy.
  package init(
    path: String, library: EngineLibrary, from source: any FileForm, to target: any FileForm, monitor: ConversionMonitor
  ) {
    self.path = path
    self.library = library
    self.source = source
    self.target = target
    self.monitor = monitor
  }

  // MARK: - Steps of a conversion

  /// Converts the file.
  ///
  /// - Throws: ``DatabaseError`` or `CancellationError`. After an error, the original is unchanged, with one exception:
  ///   if, at the very end, writing the folder to disk or removing the plaintext fails, the file is already converted.
  package func run() throws -> ConversionOutcome {
    let claim = ConversionClaim()
    defer { OpenFileRegistry.shared.release(claim) }
    monitor.reach(.waiting, 0, of: 1)
    let start = ContinuousClock.now
    var rejected: FileIdentity?
    return try ConversionClaim.$current.withValue(claim) {
      while true {
        try monitor.check()
        // 1. Find the file: the names of all other files are derived from its path after symbolic links are resolved.
        let files = try ConversionFiles(path: path, engine: library.description.name)
        do {
          // 2. Prevent other code in this process from opening it.
          try OpenFileRegistry.shared.claim(files.path, for: claim, library: library)
          return try convert(files, claim)
        } catch let error as DatabaseError {
          if error.condition == .interrupted { try monitor.check() }
          // If connections of this process have the file open, throws `.busy` without a result code, and does not wait
          // for them.
          let isOpen = error.condition == .busy && error.resultCode == nil
          if isOpen, try isComplete(files, rejected: &rejected) { return .alreadyConverted }
          let isBusy = isOpen && ContinuousClock.now < start + patience
          guard isBusy || EngineOpener.mayPass(error, within: patience, since: start) else { throw error }
        }
        BusyWait.sleep(.milliseconds(2))
      }
    }
  }

  /// Returns whether another conversion is complete; the key of `rejected`, which has the old form, is not derived
  /// again.
  private func isComplete(_ files: ConversionFiles, rejected: inout FileIdentity?) throws(DatabaseError) -> Bool {
    let file = FileIdentity(path: files.path)
    // While one of the connections writes, there is no answer; the next attempt asks again.
    guard file != rejected,
      let isConverted = try? target.opens(files.path, .ofConversion(busyTimeout: .seconds(5))),
      (try? confirmDatabase(of: files)) != nil
    else { return false }
    if isConverted { try Self.finish(files) } else { rejected = file }
    return isConverted
  }

  private func convert(_ files: ConversionFiles, _ claim: ConversionClaim) throws -> ConversionOutcome {
    // 3. Open the original in its old form. If it opens only in the new form, another process has already converted it.
    let opened = try openOriginal(files)
    do {
      try confirmDatabase(of: files, openedBy: opened)
    } catch {
      // No file was touched; report the first error.
      try? opened?.close()
      throw error
    }
    guard let original = opened else {
      try Self.finish(files)
      return .alreadyConverted
    }
    var hasLog = false
    // An earlier conversion, which was killed, may have kept it.
    let isOriginalKept = keepsOriginal || (try? files.isOriginalKept()) == true
    do {
      hasLog = try files.hasLogMark() || original.journalMode() == JournalMode.wal.rawValue
      if keepsOriginal { try files.isOriginalKept() }
      try checkSpace(original, files)
      // 4. Record for the next conversion that there is a write-ahead log: this process may be killed after it has
      // checkpointed the log into the file.
      if hasLog { try files.markLog() }
      // 5. Wait until no other connection uses the database, and lock the others out.
      try original.takeExclusiveAccess(within: patience)
      try confirmDatabase(of: files, openedBy: original)
      // Another process may have tried to convert the file, failed, and removed the mark.
      if hasLog { try files.markLog() }
      // 6. Remove leftover files of a killed conversion. Files that no conversion created are rejected, not removed.
      try files.refuseUnknownFiles()
      try files.removeJournals()
      try files.removeCopy()
      try replace(original, files, claim, hasLog: hasLog)
    } catch {
      // Report the first error; closing the connection releases all locks in any case. If the path leads to another
      // folder by now, the engine would open the journals there; the next conversion finds the mark.
      if (try? confirmDatabase(of: files, openedBy: original)) != nil,
        (try? original.endExclusiveAccess(hasLog: hasLog)) != nil
      {
        try? files.removeLogMark()
      }
      try? original.close()
      throw error
    }
    try original.close()
    return .converted(original: isOriginalKept ? files.original : nil)
  }

  /// Creates the copy and replaces the original with it; if this fails, the copy is removed.
  private func replace(
    _ original: EngineConnection, _ files: ConversionFiles, _ claim: ConversionClaim, hasLog: Bool
  ) throws {
    // 7. Create the copy. Until the end, its lock shows other processes that a conversion is running.
    let copy = try ConversionCopy.create(files, for: claim)
    defer { withExtendedLifetime(copy) {} }
    let replaced = files.database
    var hasNewName = false
    var hasOtherName = false
    do {
      // 8. Fill it.
      try DatabaseCopier(connection: original, target: target, monitor: monitor).run(into: copy)
      copy.beginWriting()
      // 9. Open it again in the new form, and compare it with the original.
      try CopyVerification(
        original: original, copy: copy, source: mayOpenAsBefore ? nil : source, target: target, hasLog: hasLog,
        monitor: monitor
      ).run()
      // 10. Write it to disk. Up to here, everything can be undone.
      monitor.reach(.finishing, 0, of: 1)
      try copy.sync()
      try monitor.check()
      // 11. Rename it to the original's name, atomically.
      hasNewName = keepsOriginal ? try files.keepOriginal() : false
      hasOtherName = files.hasOtherName
      try copy.replaceOriginal()
    } catch {
      // Report the first error; the next conversion removes any file that cannot be removed now.
      if hasNewName { try? files.remove(files.original) }
      try? original.rollback()
      try? copy.remove()
      throw error
    }
    // The file has lost this name, so it can be released: another file may get its inode number once it is closed.
    if let replaced { OpenFileRegistry.shared.release(replaced) }
    // 12. Remove the marks, and make the renames durable.
    try Self.finish(files)
    // 13. Overwrite the plaintext, now that not even a power failure can bring back the original under its name. Under another
    // name, such as that of a backup, the same file remains.
    if target.isEncrypted && !source.isEncrypted && !keepsOriginal && !hasOtherName { try original.scrub() }
    monitor.reach(.finishing, 1, of: 1)
  }

  // MARK: - Parts of the steps

  /// Throws if the database's path leads to another file than the one in the folder of the conversion, or the engine
  /// has opened another file: the files beside that one must not be removed.
  private func confirmDatabase(
    of files: ConversionFiles, openedBy connection: EngineConnection? = nil
  ) throws(DatabaseError) {
    guard FileIdentity(path: files.path) == files.database, connection?.hasMoved() != true else {
      throw DatabaseError.replaced(files.path, library)
    }
  }

  /// Completes the last steps of a conversion by another process, which may have been killed before completing them.
  package static func finish(path: String, library: EngineLibrary) throws(DatabaseError) {
    try finish(ConversionFiles(path: path, engine: library.description.name))
  }

  private static func finish(_ files: ConversionFiles) throws(DatabaseError) {
    try files.removeLogMark()
    try files.removeClaimWithoutCopy()
    try files.syncFolder()
  }

  /// Opens the file in its old form; returns nil if the file is already in the new form.
  private func openOriginal(_ files: ConversionFiles) throws(DatabaseError) -> EngineConnection? {
    let options = ConnectionOptions.ofConversion(busyTimeout: patience)
    if triesTargetFirst, try target.opens(files.path, options) { return nil }
    do throws(DatabaseError) {
      return try source.open(files.path, options)
    } catch {
      guard error.isOfAnotherForm else { throw error }
      do throws(DatabaseError) {
        try target.open(files.path, options).close()
      } catch let second {
        // The error from the form that was tried first is more useful.
        guard second.condition == .beingConverted || second.condition == .fileReplaced else { throw error }
        throw second
      }
      return nil
    }
  }

  private func checkSpace(_ original: EngineConnection, _ files: ConversionFiles) throws(DatabaseError) {
    let pages =
      (try original.integer("PRAGMA main.page_count") ?? 0) - (try original.integer("PRAGMA main.freelist_count") ?? 0)
    // Encryption reserves a part of each page, so the number of pages may change.
    let needed = max(pages, 1) * (try original.integer("PRAGMA main.page_size") ?? 4096) / 10 * 11 + 65536
    guard let available = files.availableBytes(), available < needed else { return }
    throw original.error(
      .full, "the copy of \(files.path) needs \(needed) bytes on the same disk, but only \(available) are free",
      remedy: "Free up space on this disk. Nothing was changed.")
  }
}

extension ConnectionOptions {
  static func ofConversion(busyTimeout: Duration = .zero) -> ConnectionOptions {
    var options = ConnectionOptions(busyTimeout: busyTimeout, enforcesForeignKeys: false)
    options.createsFile = false
    return options
  }
}

extension FileForm {
  /// Returns whether a file can be opened in this form.
  ///
  /// A hot journal that a crash left is rolled back, which a read-only connection may not do
  /// (https://www.sqlite.org/rescode.html#readonly_rollback).
  package func opens(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      try open(path, options).close()
      return true
    } catch {
      if error.condition == .readOnly, options.isReadOnly {
        var writing = options
        writing.isReadOnly = false
        return try opens(path, writing)
      }
      guard error.isOfAnotherForm else { throw error }
      return false
    }
  }
}

extension DatabaseError {
  /// Whether opening failed because the file has another form.
  fileprivate var isOfAnotherForm: Bool { [.wrongKey, .notADatabase, .plaintextDatabase].contains(condition) }
}

extension EngineConnection {
  /// Gets exclusive access to the database and moves all content of the log into the file; throws `.busy` if other
  /// connections are still using the database after the timeout.
  ///
  /// The order matters: a connection that sets the locking mode before it has the lock keeps a read lock while it
  /// waits, and two such connections deadlock (https://www.sqlite.org/pragma.html#pragma_locking_mode).
  fileprivate func takeExclusiveAccess(within timeout: Duration) throws(DatabaseError) {
    try setJournalMode(.delete, within: timeout)
    try begin(.exclusive)
    try execute("PRAGMA main.locking_mode = EXCLUSIVE")
    try commit()
  }

  /// Ends the exclusive access and restores the previous journal mode.
  fileprivate func endExclusiveAccess(hasLog: Bool) throws(DatabaseError) {
    try rollback()
    // The connection releases the lock at its next access.
    try execute("PRAGMA main.locking_mode = NORMAL; SELECT count(*) FROM main.sqlite_master")
    if hasLog { try setJournalMode(.wal, within: .seconds(1)) }
  }

  /// Overwrites the content of the database file, which no longer has a name.
  fileprivate func scrub() throws(DatabaseError) {
    let handle = try openHandle()
    let code = withUnsafePointer(to: library.functions) { csqlite_scrub($0, handle.database) }
    guard code != SQLITE_OK else { return }
    throw handle.error(code)
  }
}
