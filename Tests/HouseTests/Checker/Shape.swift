/// Limits on the size of files, functions and folders, and names that the core must not contain.
struct Shape {
  /// The limits of the project's own sources.
  static let longestFile = 400
  static let longestFunction = 60
  static let shortFileBelow = 30
  static let mostShortFiles = 15

  let plan: HousePlan
  let files: [SourceFile]

  var violations: [Violation] { sizes + shortFiles + singleFiles + engineNames }

  private var sizes: [Violation] {
    files.flatMap { file -> [Violation] in
      let long = file.functions.filter { $0.lines.count > Self.longestFunction }.map { function in
        Violation(
          rule: .longFunction, place: file.path, message: "\(function.name) has \(function.lines.count) lines")
      }
      guard file.lineCount > Self.longestFile else { return long }
      return long + [Violation(rule: .longFile, place: file.path, message: "\(file.lineCount) lines")]
    }
  }

  /// All short files, if there are too many of them.
  private var shortFiles: [Violation] {
    let short = files.filter { $0.lineCount < Self.shortFileBelow }
    guard short.count > Self.mostShortFiles else { return [] }
    return short.map { file in
      Violation(
        rule: .shortFiles, place: file.path, message: "\(file.lineCount) lines, one of \(short.count) short files")
    }
  }

  /// The folders with a single file, except those of targets.
  private var singleFiles: [Violation] {
    let targets = Set(plan.targets.map(\.path))
    return Dictionary(grouping: files, by: \.folder).filter { folder, files in
      let hasFolders = self.files.contains { $0.folder.hasPrefix(folder + "/") }
      return files.count == 1 && !targets.contains(folder) && !hasFolders
    }.map { folder, files in
      Violation(rule: .singleFile, place: folder, message: "the folder has only \(files[0].path)")
    }
  }

  /// The engines' names and their statements, in code and string literals of the core.
  private var engineNames: [Violation] {
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
