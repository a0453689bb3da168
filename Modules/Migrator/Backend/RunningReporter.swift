/// Calls back now and then while a statement runs.
///
/// An ability: engines that cannot do that give no reporter, and a run tells nothing between a migration's begin and end.
public protocol RunningReporter: AnyObject {
  /// Begins to call `report`, from the thread that runs the statements, about a hundred times a second or more often.
  ///
  /// - Parameter report: Must not use the connection.
  func start(_ report: @escaping () -> Void)

  /// Ends the calls.
  func stop()
}
