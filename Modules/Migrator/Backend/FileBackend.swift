/// A backend that keeps each database in a file.
///
/// An ability: a backend that has it gets the copies of its databases verified by opening them.
public protocol FileBackend: DatabaseBackend {
  /// The same backend for a copy of the database in another file: with its library, its key and its settings.
  func forCopy(at path: String) -> any DatabaseBackend
}
