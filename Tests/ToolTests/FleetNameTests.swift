import Foundation
import Testing

/// The names of many databases: in patterns, lists and messages.
@Suite("Names of many databases")
struct FleetNameTests {
  private func transcript() throws -> Transcript {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE t (x);\n", to: "migrations/0001_one.sql")
    return transcript
  }

  private func databases(_ outcome: ToolProcess.Outcome) throws -> [String] {
    try outcome.objects().compactMap { $0["database"] as? String }
  }

  #if os(Linux)
    @Test("A name that is not UTF-8 is refused, in a pattern and in a list")
    func invalidNames() throws {
      let transcript = try transcript()
      try transcript.run(#"touch "$(printf 'a\377.db')"; ls *.db >list"#)
      let ofList = "next: Save the list as UTF-8. If the name of a file is not UTF-8, rename the file."
      let sources = [
        ("--databases '*.db'", "matching *.db is not UTF-8", "next: Rename the file or its folder."),
        ("--databases-from list", "in the list \"list\" is not UTF-8", ofList),
        ("--databases-from - <list", "on standard input is not UTF-8", ofList),
      ]
      for (options, place, remedy) in sources {
        let outcome = try transcript.run("migrator migrate \(options)")
        #expect(outcome.exitCode == 2)
        #expect(outcome.errors.contains(place) && outcome.errors.contains(remedy), "\(outcome.errors)")
      }
    }

    @Test("Names that are equal as texts belong to different files, and a slash before a combining mark is a slash")
    func bytes() throws {
      let transcript = try transcript()
      try transcript.run(#"printf '\303\251.db\ne\314\201.db\n\314\201x.db\n' >list; mkdir keys tenants"#)
      let outcome = try transcript.run("migrator migrate --databases-from list --jobs 1 --json")
      #expect(
        try databases(outcome).map { Array($0.utf8) } == ["é.db", "e\u{301}.db", "\u{301}x.db"].map { Array($0.utf8) })
      #expect(try transcript.run("test $(ls *.db | wc -l) = 3").exitCode == 0)
      let keyed = try transcript.run(
        #"""
        printf 'sesame' >"$(printf 'keys/\314\201x.db.key')"
        migrator migrate --databases-from - --key-dir keys --json <<END
        tenants/$(printf '\314\201')x.db
        END
        """#)
      #expect(keyed.exitCode == 0, "\(keyed.errors)")
      #expect(keyed.output.contains("\"sqlcipher\""), "\(keyed.output)")
    }
  #endif

  @Test("A pattern that leads to an unreadable folder is an error")
  func unreadableFolder() throws {
    let transcript = try transcript()
    let outcome = try transcript.run("ln -s loop loop; migrator status --databases 'loop/*.db'")
    #expect(outcome.exitCode == 3)
    #expect(outcome.errors.contains("the files that match loop/*.db cannot be listed"), "\(outcome.errors)")
    #expect(outcome.errors.contains("symbolic links"), "\(outcome.errors)")
    #expect(outcome.errors.contains("next: Give another pattern."), "\(outcome.errors)")
  }

  @Test("A folder of keys in the configuration file does not concern a command on one database")
  func configuredKeys() throws {
    let transcript = try transcript()
    try transcript.run("mkdir keys; echo '{\"key-dir\": \"keys\"}' >migrator.json")
    let outcome = try transcript.run("migrator migrate --database new.db")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let fleet = try transcript.run("echo other.db | migrator migrate --databases-from -")
    #expect(fleet.errors.contains("there is no key file for the new database other.db"), "\(fleet.errors)")
  }

  @Test("A file that is named like an address is found by a pattern")
  func addresses() throws {
    let transcript = try transcript()
    try transcript.run("touch sqlite:a.db file:b.db")
    let outcome = try transcript.run("migrator migrate --databases '*.db' --jobs 1 --json")
    #expect(try databases(outcome) == ["./file:b.db", "./sqlite:a.db"], "\(outcome.errors)")
    #expect(try transcript.run("test -s sqlite:a.db && test -s file:b.db && test ! -e a.db").exitCode == 0)
  }

  @Test(
    "Only LF and CR LF separate the names in a list",
    arguments: ["--databases-from list", "--databases-from - <list", "--databases-from /dev/stdin <list"])
  func lines(options: String) throws {
    let transcript = try transcript()
    try transcript.run(#"printf '\357\273\277a.db\r\n\r\n  \t\nb\302\205c\013d.db\n' >list"#)
    let outcome = try transcript.run("migrator status \(options) --jobs 1 --json")
    #expect(try databases(outcome) == ["a.db", "b\u{85}c\u{B}d.db"], "\(outcome.errors)")
  }

  @Test("A list is read from a pipe, and a missing list is an error with its reason")
  func sources() throws {
    let transcript = try transcript()
    let outcome = try transcript.run("echo a.db | migrator status --databases-from /dev/stdin --json")
    #expect(try databases(outcome) == ["a.db"], "\(outcome.errors)")
    let missing = try transcript.run("migrator status --databases-from missing")
    #expect(missing.exitCode == 2)
    #expect(missing.errors.contains("why: No such file or directory"), "\(missing.errors)")
  }

  @Test("The message about a failed migration begins with the database, also if its number is the name of the database")
  func words() throws {
    let transcript = try transcript()
    try transcript.write("SELECT missing;\n", to: "migrations/0002_two.sql")
    for name in ["1", "2", "e"] {
      let failed = try transcript.run("rm -f 1 e; echo \(name) | migrator migrate --databases-from -")
      #expect(failed.errors.contains("error: \(name): migration 0002_two (2 of 2 pending) failed"), "\(failed.errors)")
    }
  }

  @Test("Line breaks and control characters in names are escaped")
  func control() throws {
    let transcript = try transcript()
    try transcript.run(#"echo 'this is a text file, no database' >"$(printf 'x\ny\033.db')""#)
    let outcome = try transcript.run("migrator status --databases 'x*' --verbose")
    let message = #"x\ny\u{1B}.db is a text file, not a database"#
    #expect(outcome.output.contains(#"x\ny\u{1B}.db: \#(message)"#), "\(outcome.output)")
    #expect(outcome.errors.contains("error: \(message)"), "\(outcome.errors)")
  }
}
