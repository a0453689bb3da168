internal import Migrator

/// The contract between the core and backends: all rules that every backend must follow.
public enum BackendContract {
  /// The checks of all rules, ordered by number.
  public static let checks: [BackendCheck] = [
    openingChecks, openingFailureChecks, lockWaitChecks, secrecyChecks, preparingChecks, runningChecks, valueChecks,
    settingChecks, transactionChecks, concurrencyChecks, savepointChecks, foreignKeyChecks, violationChecks,
    schemaChecks, columnChecks, tableChangeChecks, rebuildChecks, alterationChecks, recordingChecks, interruptingChecks,
    extendingChecks, replacementChecks, erasingChecks, scratchChecks, stateKeepingChecks, errorChecks, migrationChecks,
    failureSweepChecks,
  ].flatMap { $0 }

  /// Runs checks one after another; a failure does not stop the others.
  ///
  /// - Parameter numbers: The numbers of the rules to check; nil for all rules.
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

  /// Returns a check that opens one connection to a new database, after a script has filled the database.
  static func onConnection(
    _ number: Int, _ sentence: String, _ options: ConnectionOptions = ConnectionOptions(), filledBy script: String = "",
    _ body: @escaping @Sendable (any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    .onDatabase(number, sentence) { database in
      try database.withConnection(options) { connection in
        try connection.run(script)
        try body(connection)
      }
    }
  }

  static func onTwoConnections(
    _ number: Int, _ sentence: String, _ options: ConnectionOptions = .impatient,
    _ body: @escaping @Sendable (_ first: any DatabaseConnection, _ second: any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    .onDatabase(number, sentence) { database in
      try database.withConnection(options) { first in
        try database.withConnection(options) { second in try body(first, second) }
      }
    }
  }
}
