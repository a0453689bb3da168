internal import SQLMigrations

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Asks whether a database may be erased, having said what would be lost.
struct ErasePermission: Sendable {
  /// The command that wants to erase.
  let context: CommandContext
  /// The database's path.
  let path: String
  /// What the database holds.
  let contents: DatabaseContents
  /// Whether the database bears the mark of a development database.
  let isMarked: Bool
  /// The ledgers of other migrators and tools.
  let otherLedgers: [String]
  /// The migrations of other migrators in the same ledger.
  let strangers: [String]

  /// Returns when the database may be erased.
  ///
  /// - Parameter question: What is asked on a terminal, without the answers.
  /// - Throws: ``ToolFailure`` with the exit code of a refusal.
  func obtain(_ question: String) throws(ToolFailure) {
    guard !contents.isEmpty else { return }
    let command = context.command.name
    guard isMarked || context.arguments.contains(.forceForeign) else {
      throw .refused(
        "\(path) was not created by this tool", why: ["\(command) would remove \(loss)"],
        remedy: "To keep the data, write a new migration instead. If it may be erased, add --force-foreign"
          + (command == "rebuild" ? ", once: the rebuilt database counts as the tool's own." : "."))
    }
    // `erase` wants nothing back.
    guard otherLedgers.isEmpty || command == "erase" || context.arguments.contains(.forceForeign) else {
      throw .refused(
        "\(path) also holds what other migrators or tools made, whose record is in \(listed(otherLedgers))",
        why: ["\(command) would remove \(loss)"],
        remedy:
          "To keep the data, write a new migration instead. If it may be erased, add --force-foreign, and run the "
          + "other migrations again.")
    }
    guard strangers.isEmpty || context.arguments.contains(.forceForeign) else {
      throw .refused(
        "\(path) also holds what another migrator made, which has recorded \(listed(strangers)) in the same ledger",
        why: ["\(command) would remove \(loss)"],
        remedy:
          "Give each migrator a ledger of its own, with --ledger. If these are migrations that were removed, or may be "
          + "erased, add --force-foreign.")
    }
    let output = context.output
    let isKept = context.arguments.contains(.keepData)
    let fate = isKept ? "erased, and put back where it still fits" : "lost"
    let losses = ["This will be \(fate): \(contents.summary)"] + contents.lines(style: output.style)
    guard !context.arguments.contains(.yes) else {
      output.lines(losses)
      return
    }
    guard output.environment.isInputTerminal else {
      output.lines(losses)
      throw .refused(
        "\(command) would remove \(loss)", why: ["there is no terminal on which to ask"],
        remedy: "Add --yes if that is what you want; the previous file is kept as \(path).bak-<time>.")
    }
    // A question needs what it is about, also where nothing else is printed.
    for line in losses { output.complain(line) }
    output.complain("The previous file is kept as \(path).bak-<time>.")
    output.ask("\(question) [y/N]")
    // Nothing has begun yet, so that nothing has to be ended first.
    let leave: SignalHub.Handler = { number in _exit(128 + number) }
    let answer = SignalHub.shared.handling([SIGINT, SIGTERM], by: leave) {
      output.environment.readLine()?.lowercased() ?? ""
    }
    if answer.isEmpty { output.environment.writeError("\n") }
    guard ["y", "yes"].contains(answer) else {
      throw .refused("not confirmed, and nothing was changed", remedy: "Answer y, or add --yes.")
    }
  }

  /// "2 tables with 14 rows (author: 4, book: 10)".
  private var loss: String {
    let parts = contents.tables.map { "\($0.name): \($0.rows.map(String.init) ?? "?")" }
    return contents.tables.isEmpty ? "its views and triggers" : "\(contents.summary) (\(listed(parts)))"
  }
}

extension OptionSpecification {
  /// Permission to erase a database that somebody else made.
  static let forceForeign = OptionSpecification(
    name: "force-foreign", group: .command, help: "also when the tool did not create the database")
}
