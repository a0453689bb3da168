/// Which targets there are, what each may import, and in which order its folders stand.
struct HousePlan {
  struct Target {
    /// The folder from the project's root; the target is named after its last component.
    let path: String

    /// The targets of this package that it may import.
    let imports: Set<String>

    /// The folders inside, lowest first.
    ///
    /// Each may name types of itself and of those before it. An entry stands for the folders inside it that have no entry
    /// of their own; the empty entry for the files that are in no folder.
    let folders: [String]

    init(_ path: String, imports: Set<String> = [], folders: [String] = [""]) {
      self.path = path
      self.imports = imports
      self.folders = folders
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The position in `folders` of the longest entry that a folder is in.
    func position(ofFolder folder: String) -> Int? {
      let entries = folders.enumerated().filter { _, entry in
        folder == entry || (!entry.isEmpty && folder.hasPrefix(entry + "/"))
      }
      return entries.max { $0.element.count < $1.element.count }?.offset
    }

    /// The part of a path that lies in this target, as its folders are written; nil for a path elsewhere.
    func folder(of file: SourceFile) -> String? {
      guard (file.folder + "/").hasPrefix(path + "/") else { return nil }
      return String(file.folder.dropFirst(path.count + 1))
    }
  }

  /// Places that break a rule for a reason.
  struct Exception {
    let rule: Violation.Rule
    let place: String
    let reason: String
  }

  let targets: [Target]
  var exceptions: [Exception] = []

  /// Whether a rule is broken here for a known reason.
  func excuses(_ violation: Violation) -> Bool {
    exceptions.contains { $0.rule == violation.rule && $0.place == violation.place }
  }

  func target(of file: SourceFile) -> Target? { targets.first { $0.folder(of: file) != nil } }
}
