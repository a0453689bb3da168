internal import Migrator

extension ProgressBar {
  /// Shows what a run tells, or a rehearsal.
  func show(_ event: MigrationEvent, of source: MigrationSource) {
    switch event {
    case .copying(let rowCount, let totalRowCount, _):
      show("copying", Int64(rowCount), of: Int64(totalRowCount), "rows")
    case .planned(let identifiers) where !identifiers.isEmpty:
      // Nothing is said of the first migration before nobody else writes; that may take as long as others need.
      begin("waiting to write", index: 1, count: identifiers.count, statementCount: 0)
    case .started(let identifier, let index, let count):
      begin(identifier, index: index, count: count, statementCount: source.file(identifier)?.statements.count ?? 0)
    case .progress(_, let fraction?, _): show(fraction: fraction)
    case .running(_, let elapsed, _, let changedRowCount): show(changedRowCount: changedRowCount, after: elapsed)
    default: break
    }
  }
}
