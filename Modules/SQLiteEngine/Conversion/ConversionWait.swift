internal import Migrator

/// Opens a file again that was converted, or is being converted, while it was opened.
struct ConversionWait {
  /// For how long to wait for a conversion to end.
  let timeout: Duration

  /// Opens a file, again and again while a conversion is in the way.
  func run<Result>(_ open: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    let start = ContinuousClock.now
    while true {
      do throws(DatabaseError) {
        return try open()
      } catch {
        switch error.condition {
        // The other file is there already; who does not want to wait for locks finds it at once.
        case .fileReplaced where ContinuousClock.now < start + max(timeout, .seconds(1)): break
        case .beingConverted where ContinuousClock.now < start + timeout: break
        default: throw error
        }
        BusyWait.sleep(.milliseconds(2))
      }
    }
  }

  /// The error of a file that is no longer at its path when it was opened.
  static func replaced(_ path: String, library: EngineLibrary) -> DatabaseError {
    DatabaseError(
      .fileReplaced, engine: library.description.name, message: "the file \(path) was replaced while it was opened",
      remedy: "Try again.")
  }
}
