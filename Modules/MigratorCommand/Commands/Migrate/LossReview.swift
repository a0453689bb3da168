internal import Migrator
internal import MigratorLint
internal import SQLSyntax

/// The review of the losses of a run of `migrate`: those that are found before it, and the rows and values that are counted
/// during it, before each commit.
final class LossReview {
  private(set) var findings: [LintFinding] = []

  private let context: CommandContext
  private let inspection: LossInspection
  private let path: String
  private var confirmed: Set<[String?]> = []

  private var asks: Bool { context.arguments.contains(.confirmLoss) && !context.arguments.contains(.yes) }

  init(_ context: CommandContext, _ inspection: LossInspection, path: String) {
    (self.context, self.inspection, self.path) = (context, inspection, path)
  }

  /// Warns of losses found before the run, and asks for permission if `--confirm-loss` is given.
  func permit(_ losses: [LintFinding]) throws(ToolFailure) {
    guard !losses.isEmpty else { return }
    warn(losses)
    guard asks else { return }
    try ask(
      "Apply the migrations to \(path.oneLine)?", losses, "the pending migrations would remove rows or values",
      orElse: "nothing was changed")
  }

  /// Returns the review of the rows and values that the pending migrations remove.
  func counting(_ scope: @escaping (String) -> RemovalScope) -> RowLossReview {
    let keepers = RowLossReview.Keepers { migration, columns, isOld, run in
      // A finding about the drop of a table may be about another column.
      let isAboutAll = if case .dropTable = SQLStatementEffect(of: run.sql) { columns.count == 1 } else { true }
      let isKnown =
        isAboutAll
        && self.findings.contains { $0.harm == .values && self.inspection.isAbout(migration, run, $0) }
      return isKnown || self.inspection.allows(migration, run) || self.inspection.allowsDrop(migration, run)
        ? nil : self.inspection.keepers(migration, columns, isOld: isOld, run)
    } addsRows: { migration, run in
      !self.inspection.allows(migration, run) && self.inspection.addsRows(migration, run)
    } holders: { migration in
      self.inspection.holders(migration)
    }
    return RowLossReview(scope: scope, keepers: keepers, allows: inspection.allows) { losses, canBeUndone in
      // The user has seen a finding about the statement, or confirmed the loss of the table's rows in an earlier batch.
      let counted = losses.filter {
        $0.column != nil || !self.confirmed.contains([$0.migration, $0.table.asciiLowercased])
      }
      let new = self.inspection.findings(counted).filter { new in
        !self.findings.contains {
          $0.harm == new.harm && $0.path == new.path && $0.statement == new.statement
            && (new.harm != .rows || $0.table == new.table)
        }
      }
      guard !new.isEmpty else { return }
      self.warn(new)
      guard self.asks, canBeUndone else { return }
      try self.ask(
        "Commit migration \(losses[0].migration.oneLine) to \(self.path.oneLine)?", new,
        "migration \(losses[0].migration) removes rows or values", orElse: "the migration was rolled back")
    }
  }

  private func warn(_ losses: [LintFinding]) {
    for loss in losses {
      context.output.warning(loss.sentence, remedy: loss.remedy)
      if loss.harm == .rows { confirmed.insert([loss.migration, loss.table]) }
    }
    findings += losses
  }

  private func ask(
    _ question: String, _ losses: [LintFinding], _ reason: String, orElse state: String
  ) throws(ToolFailure) {
    do throws(ToolFailure) {
      guard context.output.environment.isInputTerminal else {
        throw .refused(
          "`migrate` needs confirmation, because \(reason)",
          why: context.isFleet
            ? ["--confirm-loss cannot ask for confirmation when there are several databases"] + losses.map(\.sentence)
            : ["the command cannot ask for confirmation without a terminal"],
          remedy: "To accept the loss, add --yes; otherwise change the migrations.")
      }
      try context.confirm(question, orElse: state)
    } catch {
      var failure = error
      failure.losses = losses
      throw failure
    }
  }
}

extension LintFinding {
  var sentence: String { "\(place): \(reason)" }
}
