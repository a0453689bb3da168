/// One run over the rows of a statement; it gives the statement back when it ends or is released.
final class StatementRun {
  let statement: Statement
  private var isDone = false

  init(_ statement: Statement, arguments: StatementArguments) throws {
    self.statement = statement
    try statement.begin()
    try statement.bindAll(arguments)
    statement.isInUse = true
  }

  deinit { end() }

  @inline(__always)
  func step() throws -> Bool {
    if isDone { return false }
    do {
      if try statement.step() { return true }
    } catch {
      end()
      throw error
    }
    end()
    return false
  }

  private func end() {
    guard !isDone else { return }
    isDone = true
    statement.isInUse = false
    statement.prepared.reset()
  }
}
