/// The two parts of an address such as `sqlite://PATH?mode=rwc`.
struct DatabaseScheme {
  /// The text before the colon, in lowercase, because schemes are compared without case
  /// (https://www.rfc-editor.org/rfc/rfc3986, 3.1).
  let name: String
  /// The path without slashes before a host and without options, which are for other programs; of an existing file,
  /// the whole path.
  let path: String
  /// Whether the address names a database in memory.
  let isInMemory: Bool

  /// Parses a text; returns nil if no letters and digits with a colon precede its path.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), text.first?.isLetter ?? false,
      text[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+") })
    else { return nil }
    name = text[..<colon].lowercased()
    let rest = text[text.index(after: colon)...]
    let whole = String(rest.hasPrefix("//") ? rest.dropFirst(2) : rest)
    let parts = whole.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let options = parts.dropFirst().first.map { $0.split(separator: "&") } ?? []
    let isFile = options.isEmpty || FileSystem.exists(whole)
    path = isFile ? whole : String(parts[0])
    isInMemory = path == ":memory:" || !isFile && options.contains("mode=memory")
  }
}

/// The value of the environment variable `DATABASE_URL`, in which many programs find the address of their database.
enum DatabaseURL {
  /// The path of a file, from `sqlite:PATH` or `sqlite://PATH`.
  case file(String)
  /// A database of another kind, with the reason why the variable is ignored.
  case other(String)
  case missing

  static let variable = "DATABASE_URL"

  init(_ variable: (String) -> String?) {
    guard let url = variable(Self.variable), !url.isEmpty else {
      self = .missing
      return
    }
    let scheme = DatabaseScheme(url)
    guard let scheme, scheme.name == "sqlite" else {
      // The rest of the URL may contain a password.
      let name = scheme.map { ", not \($0.name):" } ?? ""
      self = .other("\(Self.variable) is ignored: it does not begin with sqlite:\(name)")
      return
    }
    guard !scheme.path.isEmpty, !scheme.isInMemory else {
      self = .other("\(Self.variable) is ignored: it does not name a file")
      return
    }
    // The contents of the file choose the backend, so that the path must not look like an address.
    self = .file(DatabaseScheme(scheme.path) == nil ? scheme.path : "./" + scheme.path)
  }
}
