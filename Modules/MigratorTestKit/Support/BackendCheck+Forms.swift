internal import Migrator

extension BackendCheck {
  /// A check of one connection to a new database, which a script may fill first.
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

  /// A check of two connections to one new database.
  static func onTwoConnections(
    _ number: Int, _ sentence: String, _ options: ConnectionOptions = .impatient,
    _ body: @escaping @Sendable (_ first: any DatabaseConnection, _ second: any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    BackendCheck(number, sentence) { backend in try backend.withTwoConnections(options, body) }
  }
}
