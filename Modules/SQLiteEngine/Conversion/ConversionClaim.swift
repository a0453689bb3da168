internal import Migrator

/// One conversion of a file, which alone may open the file and its copy in this process while it lasts.
package final class ConversionClaim: Sendable {
  /// The conversion that this thread carries out; files are opened for it.
  @TaskLocal static var current: ConversionClaim?

  init() {}

  /// The error of opening a file while it is converted.
  static func refusal(path: String, library: EngineLibrary) -> DatabaseError {
    DatabaseError(
      .beingConverted, engine: library.description.name,
      message: "\(path) is being converted: encrypted, decrypted, or given another key or format",
      remedy: "Try again when that is done; the busy timeout says for how long to wait.")
  }
}
