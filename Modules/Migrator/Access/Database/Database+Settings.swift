extension Database {
  /// A number kept in the database for the application, zero in a new one.
  ///
  /// https://www.sqlite.org/pragma.html#pragma_user_version
  public var userVersion: Int32 {
    get throws { try connection.userVersion() }
  }

  /// Sets ``userVersion``, within the current transaction if there is one.
  public func setUserVersion(_ version: Int32) throws {
    try requireWriting("the user version")
    try connection.setUserVersion(version)
  }

  /// A number that tells which application the file belongs to, zero in a new one.
  ///
  /// https://www.sqlite.org/pragma.html#pragma_application_id
  public var applicationID: Int32 {
    get throws { try connection.applicationID() }
  }

  /// Sets ``applicationID``, within the current transaction if there is one.
  public func setApplicationID(_ identifier: Int32) throws {
    try requireWriting("the application identifier")
    try connection.setApplicationID(identifier)
  }

  private func requireWriting(_ what: String) throws {
    guard isReading else { return }
    throw context.error(
      .readOnly, "\(what) cannot be set in an access that only reads",
      remedy: "Write inside `write { db in ... }`.")
  }
}
