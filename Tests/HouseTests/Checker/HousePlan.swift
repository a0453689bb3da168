/// The plan of the targets, their allowed imports, and the order of their folders.
struct HousePlan {
  struct Target {
    /// The path of the folder from the project's root; its last component is the name of the target.
    let path: String

    /// The targets of this package that it may import.
    let imports: Set<String>

    /// The folders inside, lowest first.
    ///
    /// Each may use its own types and those of earlier folders. An entry includes the folders inside it without a
    /// separate entry; the empty entry is for files that are in no folder.
    let folders: [String]

    init(_ path: String, imports: Set<String> = [], folders: [String] = [""]) {
      self.path = path
      self.imports = imports
      self.folders = folders
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Returns the position in `folders` of the longest entry that contains a folder.
    func position(ofFolder folder: String) -> Int? {
      let entries = folders.enumerated().filter { _, entry in
        folder == entry || (!entry.isEmpty && folder.hasPrefix(entry + "/"))
      }
      return entries.max { $0.element.count < $1.element.count }?.offset
    }

    /// Returns the folder of a file relative to this target; nil for a file outside the target.
    func folder(of file: SourceFile) -> String? {
      guard (file.folder + "/").hasPrefix(path + "/") else { return nil }
      return String(file.folder.dropFirst(path.count + 1))
    }
  }

  /// A place that may break a rule, with the reason.
  struct Exception {
    let rule: Violation.Rule
    let place: String
    let reason: String
  }

  let targets: [Target]
  var exceptions: [Exception] = []

  /// Returns whether a violation is allowed for a known reason.
  func excuses(_ violation: Violation) -> Bool {
    exceptions.contains { $0.rule == violation.rule && $0.place == violation.place }
  }

  func target(of file: SourceFile) -> Target? { targets.first { $0.folder(of: file) != nil } }
}
