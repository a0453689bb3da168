/// Chooses the backend of a database from what the user says and what the file shows.
struct BackendChoice: Sendable {
  /// The backends to choose from; the first one is taken when nothing speaks for another.
  var backends: [ToolBackend]
  /// The name after `--backend`; nil when it was absent.
  var option: String?
  /// The database, perhaps with the name of a backend.
  var address: DatabaseAddress
  /// Where the key comes from; nil when no option says so.
  var keySource: KeySource?
  /// Whether an option was given that only encrypted databases have.
  var hasCipherOptions: Bool

  /// Whether the user left the choice to the file.
  var isGuess: Bool { option == nil && address.backendName == nil && keySource == nil && !hasCipherOptions }

  /// The backend for a file.
  ///
  /// - Throws: ``ToolFailure`` when the user's words contradict each other.
  func backend(for file: DatabaseFile) throws(ToolFailure) -> ToolBackend {
    if let option, let name = address.backendName, option != name {
      throw .usage(
        "--backend says \(option), and --database says \(name)", remedy: "Leave one of the two out.")
    }
    if let name = option ?? address.backendName, let named = backends.first(where: { $0.name == name }) {
      guard named.needsKey || keySource == nil && !hasCipherOptions else {
        throw .usage(
          "the backend \(named.name) takes no key and no cipher settings",
          remedy: "Leave those options out, or name another backend.")
      }
      return named
    }
    if keySource != nil || hasCipherOptions, let encrypted = backends.first(where: \.needsKey) { return encrypted }
    if case .present(let header) = file, let owner = backends.first(where: { $0.recognises(header) }) { return owner }
    guard let first = backends.first else { throw .usage("this tool was made without any backend") }
    return first
  }
}
