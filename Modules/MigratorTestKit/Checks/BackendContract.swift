/// The border's contract: all rules that a backend must keep.
public enum BackendContract {
  /// The rules, in the order of their numbers.
  public static let checks: [BackendCheck] = [
    openingChecks, openingFailureChecks, lockWaitChecks, secrecyChecks, preparingChecks, runningChecks, valueChecks,
    settingChecks, transactionChecks, concurrencyChecks, savepointChecks, foreignKeyChecks, violationChecks,
    schemaChecks, columnChecks, tableChangeChecks, rebuildChecks, alterationChecks, recordingChecks, interruptingChecks,
    erasingChecks, scratchChecks, errorChecks, migrationChecks, failureSweepChecks,
  ].flatMap { $0 }

  /// Runs checks one after the other, and goes on when one fails.
  ///
  /// - Parameter numbers: The rules to check; nil for all of them.
  /// - Returns: One result a check, in the order of their numbers.
  public static func run(_ numbers: Set<Int>? = nil, on backend: BackendUnderTest) -> [BackendCheckResult] {
    checks.filter { numbers?.contains($0.number) ?? true }.map { $0.run(on: backend) }
  }
}
