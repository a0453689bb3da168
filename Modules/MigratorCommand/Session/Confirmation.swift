extension CommandContext {
  /// Returns when the user agrees to a loss, having said what it is.
  ///
  /// - Parameters:
  ///   - question: The question for a terminal, without the answers.
  ///   - losses: The lines that say what would be lost.
  ///   - refusal: The message of the refusal where no one can be asked.
  ///   - fate: The future of the previous file, as a sentence without its full stop.
  func confirm(_ question: String, losses: [String], refusal: String, fate: String) throws(ToolFailure) {
    guard !arguments.contains(.yes) else {
      output.lines(losses)
      return
    }
    guard output.environment.isInputTerminal else {
      output.lines(losses)
      throw .refused(
        refusal, why: ["there is no terminal on which to ask"],
        remedy: "Add --yes if that is what you want; \(fate).")
    }
    // A question needs what it is about, also where nothing else is printed.
    for line in losses { output.complain(line) }
    output.complain(fate.asSentence)
    output.ask("\(question) [y/N]")
    let answer = SignalHub.shared.leavingAtOnce { output.environment.readLine()?.lowercased() ?? "" }
    if answer.isEmpty { output.environment.writeError("\n") }
    guard ["y", "yes"].contains(answer) else {
      throw .refused("not confirmed, and nothing was changed", remedy: "Answer y, or add --yes.")
    }
  }
}
