internal import Migrator
internal import SQLMigrations

extension RebuildCommand {
  /// Rows that an earlier rebuild has erased and not put back, since it was ended before.
  struct EarlierRows {
    /// The name of the file that holds them, which lies beside the database.
    let name: String

    /// Why the database is rebuilt because of them; nil when it is as good as new, so that they have only to be put back.
    func reason(_ state: DatabaseErasure.State) -> String? {
      state.ledger.isEmpty && state.contents.isEmpty
        ? nil : "an earlier rebuild ended before it had put back the rows that are in \(name)"
    }
  }

  func earlierRows(_ state: DatabaseErasure.State, _ report: inout RebuildReport) -> EarlierRows? {
    guard let name = state.unfinished else { return nil }
    let isThere = FileSystem.exists(path(ofKept: name))
    guard !isThere || !context.arguments.contains(.keepData) else { return EarlierRows(name: name) }
    let warning =
      "an earlier rebuild ended before it had put back the rows that are in \(name)"
      + (isThere ? "; `\(context.toolName) rebuild --keep-data` does" : ", which is not there any more")
    output.warning(warning)
    report.warnings.append(warning)
    return nil
  }

  /// What is to be put back after erasing.
  func rowsToPutBack(_ earlier: EarlierRows?) -> DatabaseErasure.RowsToPutBack {
    if let earlier { return .earlier(earlier.name) }
    return context.arguments.contains(.keepData) ? .erased : .none
  }

  /// Puts back the rows of tables that did not change, where that is asked for.
  ///
  /// - Parameter name: The name of the kept file; nil when there was nothing to keep.
  func keepRows(of name: String?, _ queue: DatabaseQueue) throws(ToolFailure) -> [KeptRows.Outcome]? {
    guard context.arguments.contains(.keepData) else { return nil }
    do {
      let made = try queue.read(TableDigests.init)
      let before = session?.made
      session?.made = made
      guard let name else { return [] }
      return try KeptRows(
        target: database, ledgerTable: source.migrator.ledgerTable, made: (before: before, now: made)
      ).restore(from: path(ofKept: name), to: queue)
    } catch {
      var failure = FailureReport.database(error, path: database.path)
      failure.rolledBack = "the rebuilt database holds what the migrations insert; " + (runner.preface ?? "")
      throw failure
    }
  }

  func print(_ kept: [KeptRows.Outcome], _ earlier: EarlierRows?) {
    let back = kept.filter(\.hasRows)
    if !back.isEmpty {
      let rows = listed(back.map { back in back.table + (back.rows.map { " (\($0))" } ?? "") })
      output.line("Kept the rows of \(rows)\(earlier.map { ", which were in \($0.name)" } ?? "").")
    }
    let refilled = kept.filter(\.isRefilled).map(\.table)
    if !refilled.isEmpty { output.line("Filled \(listed(refilled)) anew from the rows that it searches.") }
    for left in kept {
      guard let reason = left.reason else { continue }
      output.line("Not kept: the rows of \(left.table), since \(reason).")
    }
  }

  private func path(ofKept name: String) -> String { FileSystem.resolve(database.path).folder + "/" + name }
}
