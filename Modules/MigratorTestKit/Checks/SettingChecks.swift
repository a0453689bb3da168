internal import Migrator

extension BackendContract {
  /// The two numbers that a database keeps for its application.
  static let settingChecks: [BackendCheck] = [
    BackendCheck(75, "The user version and the application identifier are kept in the database, apart from each other.")
    {
      backend in
      let database = try backend.newBackend()
      for (version, identifier) in [(Int32(7), Int32(0x6d69_6772)), (.min, .max), (.max, -1)] {
        try database.withConnection { connection in
          try connection.setUserVersion(version)
          try connection.setApplicationID(identifier)
        }
        try database.withConnection { connection in
          try expect("userVersion", connection.userVersion(), is: version)
          try expect("applicationID", connection.applicationID(), is: identifier)
        }
      }
    },
    BackendCheck(76, "The user version and the application identifier roll back with their transaction.") { backend in
      try backend.withConnection { connection in
        try connection.setUserVersion(1)
        try connection.setApplicationID(2)
        try connection.begin(.immediate)
        try connection.setUserVersion(3)
        try connection.setApplicationID(4)
        try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
        try connection.rollback()
        try expect("userVersion", connection.userVersion(), is: 1)
        try expect("applicationID", connection.applicationID(), is: 2)
      }
    },
  ]
}
