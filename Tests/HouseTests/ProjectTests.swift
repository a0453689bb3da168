import Testing

/// Checks the project's own sources against the plan, `HousePlan.project`.
@Suite
struct ProjectTests {
  static let plan = HousePlan.project

  private static let violations = Result { () throws -> [Violation] in
    let files = try ProjectSources.files()
    return Arrows(plan: plan, files: files).violations + EngineNames(files: files).violations
  }

  @Test(arguments: Violation.Rule.allCases)
  func `the sources follow the plan`(rule: Violation.Rule) throws {
    let found = try Self.violations.get().filter { $0.rule == rule && !Self.plan.excuses($0) }
    #expect(found.isEmpty, "\(found.sorted().map(\.description).joined(separator: "\n"))")
  }

  @Test
  func `few exceptions exist, and each of them is needed`() throws {
    let violations = try Self.violations.get()
    #expect(Self.plan.exceptions.count <= 5)
    for exception in Self.plan.exceptions {
      #expect(violations.contains { $0.rule == exception.rule && $0.place == exception.place }, "\(exception.place)")
    }
  }

  @Test
  func `the package's targets depend only on targets that the plan allows`() throws {
    let package = try ProjectSources.text("Package.swift")
    let targets = package.matches(
      of: /name: "(\w+)",\s+dependencies: \[([^\]]*)\],\s+path: "((?:Modules|Plugins)[^"]*)"/)
    #expect(targets.count > 5)
    for match in targets {
      let target = try #require(Self.plan.targets.first { $0.path == match.output.3 })
      let dependencies = Set(match.output.2.matches(of: /"(\w+)"/).map { String($0.output.1) })
      #expect(dependencies.subtracting(target.imports) == [], "\(target.name)")
    }
  }

  /// If a file imports an undeclared target that is usually built earlier, a clean build may still fail.
  @Test
  func `every target of the package depends on what its files import`() throws {
    let package = try ProjectSources.text("Package.swift")
    let targets = package.split(separator: /\n {4}\.(?:target|executableTarget|testTarget)\(/).dropFirst()
    let named = try targets.map { target in
      let name = try #require(target.firstMatch(of: /name: "(\w+)"/)?.output.1)
      let path = try #require(target.firstMatch(of: /path: "([^"]+)"/)?.output.1)
      let list = target.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""
      return (
        name: String(name), path: String(path), dependencies: list.matches(of: /"(\w+)"/).map { String($0.output.1) }
      )
    }
    #expect(named.count > 25)
    for target in named {
      let imports = try ProjectSources.paths(in: target.path).flatMap(ProjectSources.imports)
      let missing = Set(imports).intersection(named.map(\.name)).subtracting(target.dependencies)
      #expect(missing == [], "\(target.name)")
    }
  }

  @Test
  func `the core and the SQL dialect know no replicated engine, not even in comments`() throws {
    for path in try ["Modules/Migrator", "Modules/SQLiteDialect"].flatMap(ProjectSources.paths) {
      #expect(try !ProjectSources.text(path).lowercased().contains("dqlite"), "\(path)")
    }
  }

  @Test
  func `nothing in Modules may import a plugin`() {
    let plugins = Set(Self.plan.targets.filter { $0.path.hasPrefix("Plugins/") }.map(\.name))
    for target in Self.plan.targets where target.path.hasPrefix("Modules/") {
      #expect(target.imports.isDisjoint(with: plugins), "\(target.name)")
    }
  }
}
