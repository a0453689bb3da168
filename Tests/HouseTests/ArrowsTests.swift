import Testing

/// Tests of the arrow checker, on small made-up trees.
@Suite
struct ArrowsTests {
  private let plan = HousePlan(targets: [
    HousePlan.Target("Modules/Low"),
    HousePlan.Target("Modules/High", imports: ["Low"], folders: ["Values", "Rooms", "Rooms/Attic", ""]),
  ])

  private func violations(_ sources: [String: String]) -> [String] {
    var sources = sources
    // No folder of the plan is empty.
    for folder in ["Low", "High/Values", "High/Rooms", "High/Rooms/Attic", "High"] {
      sources["Modules/\(folder)/Filler.swift"] = ""
    }
    let files = sources.map { SourceFile(path: $0.key, text: $0.value) }.sorted { $0.path < $1.path }
    return Arrows(plan: plan, files: files).violations.map { "\($0.rule.rawValue) \($0)" }.sorted()
  }

  @Test
  func `a folder may name what lies below it`() {
    #expect(
      violations([
        "Modules/High/Values/Size.swift": "struct Size {}",
        "Modules/High/Rooms/Room.swift": "struct Room { var size: Size }",
        "Modules/High/Rooms/Attic/Roof.swift": "struct Roof { var room: Room }",
        "Modules/High/House.swift": "import Low\nstruct House { var roof: Roof }",
      ]).isEmpty)
  }

  @Test
  func `an arrow that runs up is reported with its line`() {
    #expect(
      violations([
        "Modules/High/Rooms/Room.swift": "struct Room {}",
        "Modules/High/Values/Size.swift": "struct Size {\n  var room: Room\n}",
      ]) == ["upwardArrow Modules/High/Values/Size.swift: Room is in Rooms, above Values (line 2)"])
  }

  @Test
  func `an extension of a higher type is an arrow, and a generic argument is one`() {
    let sources = [
      "Modules/High/Rooms/Room.swift": "struct Room {}",
      "Modules/High/Values/Size.swift": "extension Room {}",
      "Modules/High/Values/Sizes.swift": "let rooms: [String: Set<Room>] = [:]",
    ]
    #expect(violations(sources).count == 2)
  }

  @Test
  func `a circle of folders is reported, also of folders that share one entry of the plan`() {
    let found = violations([
      "Modules/High/Rooms/Bath/Tub.swift": "struct Tub { func fill() { Oven.heat() } }",
      "Modules/High/Rooms/Kitchen/Oven.swift": "enum Oven { static func heat() {} }\nlet cellar = Cellar()",
      "Modules/High/Rooms/Store/Cellar.swift": "struct Cellar { var tub: Tub? }",
    ])
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("circle Modules/High/Rooms/Bath: a circle: ") == true)
    #expect(found.first?.contains("Rooms/Store names Rooms/Bath's Tub in Cellar.swift") == true)
  }

  @Test
  func `names in comments, in string literals and after a dot are not arrows`() {
    #expect(
      violations([
        "Modules/High/Rooms/Room.swift": "struct Room {}",
        "Modules/High/Values/Size.swift": """
        /// Fits a ``Room``. /* nested /* Room */ Room */
        struct Size {
          let name = "Room \\" Room" + #"Room"# + \"""
            Room
            \"""
          let other = Palace.Room.self
        }
        """,
      ]).isEmpty)
  }

  @Test
  func `names in interpolations are arrows`() {
    let sources = [
      "Modules/High/Rooms/Room.swift": "struct Room {}",
      "Modules/High/Values/Size.swift": #"let text = "a \(Room(")")) b""#,
    ]
    #expect(violations(sources).count == 1)
  }

  @Test
  func `private and nested types of a higher folder hide nothing`() {
    #expect(
      violations([
        "Modules/High/Rooms/Room.swift": "private struct Size {}\nstruct Room { struct Door {} }",
        "Modules/High/Values/Size.swift": "struct Size { enum Door {}\n  var door: Door }",
        "Modules/High/Values/Width.swift": "struct Width { var size: Size }",
      ]).isEmpty)
  }

  @Test
  func `a target imports only what the plan allows`() {
    #expect(
      violations(["Modules/Low/Ground.swift": "package import High\nimport Foundation"]) == [
        "upwardImport Modules/Low/Ground.swift: Low may not import High"
      ])
  }

  @Test
  func `a folder outside the plan is reported, and so is a missing one`() {
    #expect(
      violations(["Modules/Shed/Rake.swift": ""]) == [
        "unplanned Modules/Shed: the folder is not in the plan"
      ])
    let files = [SourceFile(path: "Modules/Low/Ground.swift", text: "")]
    let gone = Arrows(plan: plan, files: files).violations.map(\.place)
    #expect(gone == ["Modules/High/Values", "Modules/High/Rooms", "Modules/High/Rooms/Attic", "Modules/High/"])
  }

  @Test
  func `an exception excuses its place, and no other`() {
    var plan = plan
    plan.exceptions = [HousePlan.Exception(rule: .engineName, place: "Modules/Low/Ground.swift", reason: "a known one")]
    func excused(_ rule: Violation.Rule, _ place: String) -> Bool {
      plan.excuses(Violation(rule: rule, place: place, message: ""))
    }
    #expect(excused(.engineName, "Modules/Low/Ground.swift"))
    #expect(!excused(.engineName, "Modules/Low/Other.swift"))
    #expect(!excused(.upwardArrow, "Modules/Low/Ground.swift"))
  }
}
