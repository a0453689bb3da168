internal import Migrator
internal import SQLMigrations

extension RebuildCommand {
  /// The name of the file, beside the database, with the rows that an earlier rebuild has erased and not put back, since
  /// it was ended before; nil when there are none, or when they are not to be put back now, about which it warns.
  func earlierRows(_ state: DatabaseErasure.State, _ report: inout RebuildReport) -> String? {
    guard let name = state.unfinished else { return nil }
    let isThere = FileSystem.exists(path(ofKept: name))
    guard !isThere || !context.arguments.contains(.keepData) else { return name }
    let warning =
      Self.unfinished(name)
      + (isThere ? "; `\(context.toolName) rebuild --keep-data` does" : ", which is not there any more")
    output.warning(warning)
    report.warnings.append(warning)
    return nil
  }

  static func unfinished(_ name: String) -> String {
    "an earlier rebuild ended before it had put back the rows that are in \(name)"
  }

  /// Puts back the rows of tables that did not change, from the kept file of that name, where that is asked for.
  func keepRows(of name: String?, _ queue: DatabaseQueue) throws(ToolFailure) -> [KeptRows.Outcome]? {
    guard context.arguments.contains(.keepData) else { return nil }
    do {
      let made = try queue.read(TableDigests.init)
      let before = session?.made
      session?.made = made
      guard let name else { return [] }
      return try KeptRows(target: database, ownTables: source.migrator.ownTables, made: (before: before, now: made))
        .restore(from: path(ofKept: name), to: queue)
    } catch {
      var failure = FailureReport.database(error, path: database.path)
      failure.rolledBack = "the rebuilt database holds what the migrations insert; " + (runner.preface ?? "")
      throw failure
    }
  }

  func print(_ kept: [KeptRows.Outcome], earlier: String?) {
    let back = kept.filter(\.hasRows).map { back in back.table + (back.rows.map { " (\($0))" } ?? "") }
    if !back.isEmpty {
      output.line("Kept the rows of \(listed(back))\(earlier.map { ", which were in \($0)" } ?? "").")
    }
    let refilled = kept.filter(\.isRefilled).map(\.table)
    if !refilled.isEmpty { output.line("Filled \(listed(refilled)) anew from the rows that it searches.") }
    for left in kept {
      if let reason = left.reason { output.line("Not kept: the rows of \(left.table), since \(reason).") }
    }
  }

  private func path(ofKept name: String) -> String { FileSystem.resolve(database.path).folder + "/" + name }
}
