/// Which database the user means, as far as the command line tells.
struct DatabaseAddress: Equatable, Sendable {
  /// The path of the file.
  var path: String

  /// The backend that stood before a colon, nil when none did.
  var backendName: String?

  /// A path without the name of a backend.
  init(path: String) { self.path = path }

  /// Takes apart `PATH`, `sqlite:PATH` and `sqlite://PATH`, for each of the backends.
  ///
  /// The form with two slashes is that of sqlx and dbmate: what follows them is the path.
  init(_ text: String, backendNames: [String]) throws(ToolFailure) {
    path = text
    for name in backendNames where text.hasPrefix(name + ":") {
      backendName = name
      path = String(text.dropFirst(name.count + 1))
      if path.hasPrefix("//") { path.removeFirst(2) }
    }
    guard !path.isEmpty else {
      throw .usage("\"\(text)\" names no file", remedy: "Write the path behind the colon: \(text)app.sqlite, for one.")
    }
    // SQLite gives both names a meaning of their own, and a database in memory is gone when the tool ends.
    guard path != ":memory:", !path.hasPrefix("file:") else {
      throw .usage("\(path) is not the path of a file", remedy: "Name a file, with ./ before it if that is its name.")
    }
  }
}
