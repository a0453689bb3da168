internal import Migrator

/// The border's contract: all rules that a backend must keep.
public enum BackendContract {
  /// The rules, ordered by number.
  public static let checks: [BackendCheck] = [
    openingChecks, openingFailureChecks, lockWaitChecks, secrecyChecks, preparingChecks, runningChecks, valueChecks,
    settingChecks, transactionChecks, concurrencyChecks, savepointChecks, foreignKeyChecks, violationChecks,
    schemaChecks, columnChecks, tableChangeChecks, rebuildChecks, alterationChecks, recordingChecks, interruptingChecks,
    erasingChecks, scratchChecks, errorChecks, migrationChecks, failureSweepChecks,
  ].flatMap { $0 }

  /// Runs checks one after another, and continues when one fails.
  ///
  /// - Parameter numbers: The rules to check; nil for all of them.
  /// - Returns: One result per check, ordered by number.
  public static func run(_ numbers: Set<Int>? = nil, on backend: BackendUnderTest) -> [BackendCheckResult] {
    checks.filter { numbers?.contains($0.number) ?? true }.map { $0.run(on: backend) }
  }
}

extension BackendCheck {
  static func onDatabase(
    _ number: Int, _ sentence: String, _ body: @escaping @Sendable (any DatabaseBackend) throws -> Void
  ) -> BackendCheck {
    BackendCheck(number, sentence) { backend in try body(backend.newBackend()) }
  }

  /// Returns a check of one connection to a new database, which a script may fill first.
  static func onConnection(
    _ number: Int, _ sentence: String, _ options: ConnectionOptions = ConnectionOptions(), filledBy script: String = "",
    _ body: @escaping @Sendable (any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    BackendCheck(number, sentence) { backend in
      try backend.withConnection(options) { connection in
        try connection.run(script)
        try body(connection)
      }
    }
  }

  static func onTwoConnections(
    _ number: Int, _ sentence: String, _ options: ConnectionOptions = .impatient,
    _ body: @escaping @Sendable (_ first: any DatabaseConnection, _ second: any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    BackendCheck(number, sentence) { backend in try backend.withTwoConnections(options, body) }
  }
}
