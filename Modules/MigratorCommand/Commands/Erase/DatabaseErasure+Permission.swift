internal import SQLMigrations

extension DatabaseErasure {
  /// Returns when the database may be erased, having said what would be lost.
  ///
  /// - Parameter question: The question for a terminal, without the answers.
  /// - Throws: ``ToolFailure`` with the exit code of a refusal.
  func obtainPermission(_ state: State, _ question: String) throws(ToolFailure) {
    let contents = state.contents
    guard !contents.isEmpty else { return }
    let command = context.command
    let path = database.path
    let parts = contents.tables.map { "\($0.name): \($0.rows.map(String.init) ?? "?")" }
    let loss = contents.tables.isEmpty ? "its views and triggers" : "\(contents.summary) (\(listed(parts)))"
    let removal = "\(command) would remove \(loss)"
    if !context.arguments.contains(.forceForeign) { try requireOwnership(state, removal) }
    let isKept = context.arguments.contains(.keepData)
    let fate = isKept ? "erased, and put back where it still fits" : "lost"
    try context.confirm(
      question, losses: ["This will be \(fate): \(contents.summary)"] + contents.lines(style: context.output.style),
      refusal: removal, fate: "the previous file is kept as \(path).backup-<time>")
  }

  private func requireOwnership(_ state: State, _ removal: String) throws(ToolFailure) {
    let command = context.command
    let path = database.path
    guard state.isMarked else {
      throw .refused(
        "\(path) was not created by this tool", why: [removal],
        remedy: "To keep the data, write a new migration instead. If it may be erased, add --force-foreign"
          + (command == "rebuild" ? ", once: the rebuilt database counts as the tool's own." : "."))
    }
    // `erase` makes nothing again that another ledger is needed for.
    guard state.otherLedgers.isEmpty || command == "erase" else {
      throw .refused(
        "\(path) also holds what other migrators or tools made, whose record is in \(listed(state.otherLedgers))",
        why: [removal],
        remedy:
          "To keep the data, write a new migration instead. If it may be erased, add --force-foreign, and run the "
          + "other migrations again.")
    }
    guard state.otherMigrations.isEmpty else {
      throw .refused(
        "\(path) also holds what another migrator made, which has recorded \(listed(state.otherMigrations)) in the same ledger",
        why: [removal],
        remedy:
          "Give each migrator a ledger of its own, with --ledger. If these are migrations that were removed, or may be "
          + "erased, add --force-foreign.")
    }
  }
}
