/// The names that the core must not contain: those of engines, and their statements.
struct EngineNames {
  let files: [SourceFile]

  /// The names in code and string literals of the core.
  var violations: [Violation] {
    files.filter { $0.path.hasPrefix("Modules/Migrator/") }.flatMap { file in
      file.uncommented.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
        let lower = line.lowercased()
        guard let name = ["sqlite", "sqlcipher", "dqlite", "pragma "].first(where: { lower.contains($0) }) else {
          return nil
        }
        return Violation(rule: .engineName, place: file.path, message: "line \(index + 1) spells \(name)")
      }
    }
  }
}
