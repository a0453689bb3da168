internal import Migrator

extension BackendContract {
  /// Waiting for the locks of other connections.
  static let lockWaitChecks: [BackendCheck] = [
    BackendCheck(30, "Without a busy timeout, a lock that another connection holds fails as busy at once.") { backend in
      try backend.withTwoConnections { first, second in
        try first.begin(.immediate)
        let duration = try ContinuousClock().measure {
          _ = try expectError(.busy, from: "begin") { try second.begin(.immediate) }
        }
        try expect(duration < .seconds(1), "it failed after \(duration)")
      }
    },
    BackendCheck(31, "A lock is waited for as long as the busy timeout says, and no longer by much.") { backend in
      try backend.withTwoConnections(ConnectionOptions(busyTimeout: .milliseconds(300))) { first, second in
        try first.begin(.immediate)
        let duration = try ContinuousClock().measure {
          _ = try expectError(.busy, from: "begin") { try second.begin(.immediate) }
        }
        try expect(duration > .milliseconds(250) && duration < .seconds(5), "it failed after \(duration)")
      }
    },
    BackendCheck(32, "A lock that is given up during the busy timeout is had.") { backend in
      try backend.withTwoConnections(ConnectionOptions(busyTimeout: .seconds(10))) { first, second in
        try first.begin(.immediate)
        let holder = Handover(first)
        // Should this fail, the other connection times out, and the check fails.
        let release = Elsewhere(after: .milliseconds(100)) { try? holder.value.rollback() }
        defer { release.wait() }
        try second.begin(.immediate)
        try second.rollback()
      }
    },
  ]
}
