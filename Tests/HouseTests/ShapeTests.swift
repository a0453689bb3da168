import Testing

/// Tests of the shape checker, on small made-up trees.
@Suite
struct ShapeTests {
  private let plan = HousePlan(targets: [
    HousePlan.Target("Modules/Migrator"), HousePlan.Target("Modules/CSQLiteLoader"),
  ])

  private func violations(_ sources: [String: String]) -> [String] {
    let files = sources.map { SourceFile(path: $0.key, text: $0.value) }.sorted { $0.path < $1.path }
    return Shape(plan: plan, files: files).violations.map { "\($0.rule.rawValue) \($0)" }.sorted()
  }

  private func lines(_ count: Int) -> String { String(repeating: "  run()\n", count: count) }

  @Test
  func `a file has at most 400 lines`() {
    #expect(violations(["Modules/Migrator/A.swift": lines(400)]).isEmpty)
    #expect(violations(["Modules/Migrator/A.swift": lines(401)]) == ["longFile Modules/Migrator/A.swift: 401 lines"])
  }

  @Test(arguments: [
    ("Modules/Migrator/A.swift", "func f(_ body: () -> Void = {}) {\n", "f"),
    ("Modules/Migrator/A.swift", "struct A {\ninit() where A: B {\n", "init"),
    ("Modules/Migrator/A.swift", "protocol P {\nfunc g()\nvar h: Int { get }\n}\nextension P {\nvar i: Int {\n", "i"),
    ("Modules/CSQLiteLoader/A.c", "struct s {\nint a;\n};\nint f(int a, char *b)\n{\n", "f"),
    ("Modules/CSQLiteLoader/A.c", "static int f(int a) {\nif (a) {\n}\n", "f"),
  ])
  func `a function has at most 60 lines`(path: String, beginning: String, name: String) throws {
    // The lines of the beginning that belong to the function.
    let function = try #require(SourceFile(path: path, text: beginning + lines(1) + "}\n}\n").functions.last)
    let rest = 60 - function.lines.count
    #expect(violations([path: beginning + lines(1 + rest) + "}\n}\n"]).isEmpty)
    #expect(
      violations([path: beginning + lines(2 + rest) + "}\n}\n"]) == ["longFunction \(path): \(name) has 61 lines"])
  }

  @Test
  func `a function ends where its braces do`() {
    let file = SourceFile(
      path: "A.swift",
      text: """
        struct A {
          var stored = { 1 }()
          var computed: Int { 2 }
          init() { self.init(text: "}") }
          func f() -> Int {
            func inner() {}
            return 1
          }
        }
        """)
    #expect(file.functions.map(\.name) == ["computed", "init", "f"])
    #expect(file.functions.map(\.lines) == [3...3, 4...4, 5...8])
  }

  @Test
  func `at most 15 files have fewer than 30 lines`() {
    func sources(_ count: Int) -> [String: String] {
      Dictionary(uniqueKeysWithValues: (1...count).map { ("Modules/Migrator/A\($0).swift", lines(29)) })
    }
    #expect(violations(sources(15).merging(["Modules/Migrator/B.swift": lines(30)]) { $1 }).isEmpty)
    #expect(violations(sources(16)).count == 16)
  }

  @Test
  func `a folder has more than one file, or is a target`() {
    #expect(
      violations(["Modules/CSQLiteLoader/A.c": "", "Modules/Migrator/Rows/A.swift": ""]) == [
        "singleFile Modules/Migrator/Rows: the folder has only Modules/Migrator/Rows/A.swift"
      ])
    #expect(violations(["Modules/Migrator/Rows/A.swift": "", "Modules/Migrator/Rows/B.swift": ""]).isEmpty)
  }

  @Test
  func `the core mentions an engine's name only in comments`() {
    #expect(
      violations([
        "Modules/CSQLiteLoader/A.c": "int sqlite;",
        "Modules/Migrator/A.swift": "// SQLite\n/* SQLCipher */\nlet sql = \"PRAGMA x\"\nlet isSQLCipher = 1",
      ]) == [
        "engineName Modules/Migrator/A.swift: line 3 spells pragma ",
        "engineName Modules/Migrator/A.swift: line 4 spells sqlcipher",
      ])
  }
}
