import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("A program that is linked against SQLite")
struct InterpositionTests {
  private static let isLinked = "-Wl,--no-as-needed -lsqlite3"

  @Test("Each engine keeps its own functions")
  func bindsDeeply() throws {
    let versions = try TestEngine.allCases.map { try $0.connectInMemory().text("SELECT sqlite_version()") }
    let lines = try LoaderProgram(options: Self.isLinked).lines(TestEngine.allCases.map { try $0.loadablePath() })
    #expect(lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == versions.map { "0 \($0 ?? "")" })
  }

  @Test("Where deep binding is unavailable, the engines are rejected before they crash")
  func refuses() throws {
    // A symbol of a sanitizer's runtime, under which libraries cannot use deep binding.
    let program = try LoaderProgram(["runtime.c": "void __asan_init(void) {}"], options: "\(Self.isLinked) -rdynamic")
    let lines = try program.lines(TestEngine.allCases.map { try $0.loadablePath() })
    // The SQLite that the program is linked against is the same library, and safe.
    let refusal = "2 another SQLite in this process intercepts its internal calls"
    #expect(
      lines.first?.hasPrefix("0 \(try TestEngine.sqlite.connectInMemory().text("SELECT sqlite_version()") ?? "")")
        == true)
    #expect(lines.dropFirst() == [refusal, refusal])
  }
}

/// Functions of two copies of an engine in one table would pass each other invalid pointers.
@Suite("All functions of a table belong to one library")
struct OneLibraryTests {
  /// Functions that a program exports besides those of the library that it is linked against.
  private static func planted(_ names: [String]) -> [String: String] {
    ["planted.c": names.map { "int sqlite3_\($0)(void) { return 0; }\n" }.joined()]
  }

  @Test(
    "A program that exports some functions besides those of the system's library is rejected with both names",
    arguments: [["changes", "errstr", "libversion_number"], ["libversion"], ["value_type"], ["changes64"]])
  func process(names: [String]) throws {
    let program = try LoaderProgram(Self.planted(names), options: "-rdynamic -Wl,--no-as-needed -lsqlite3")
    let lines = try program.lines(["process"])
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("2 its functions are those of two libraries: sqlite3_libversion of "))
    #expect(lines[0].contains("libsqlite3.so"))
    #expect(lines[0].contains("program"))
  }

  @Test("A library that completes its functions from a dependency is rejected")
  func dependency() throws {
    let program = try LoaderProgram(options: "")
    try program.folder.write("int sqlite3_step(void) { return 0; }".utf8, to: "mixed.c")
    try ShellScript.run(
      "clang -w -fPIC -shared mixed.c -o mixed.so -Wl,--no-as-needed -lsqlite3", in: program.folder.path)
    let lines = try program.lines(["./mixed.so", "libsqlite3.so.0"])
    #expect(lines.first?.contains("sqlite3_step of ") == true)
    #expect(lines.first?.contains("mixed.so") == true)
    #expect(lines.last?.hasPrefix("0 ") == true)
  }

  @Test("A linked table is rejected for the same reason")
  func linked() throws {
    var sources = Self.planted(["step"])
    sources["target.c"] = LinkedTableTests.target
    let lines = try LoaderProgram(sources, options: "-DLINKED -Wl,--no-as-needed -lsqlite3").lines(["linked"])
    #expect(lines[0].hasPrefix("2 its functions are those of two libraries: "))
    #expect(lines[0].contains("sqlite3_step of ") && lines[0].contains("program"))
  }
}

/// The table that a C target of an app fills, in programs that are linked like an app's.
@Suite("A linked table")
struct LinkedTableTests {
  /// The C target of an app.
  static let target = "#include <CSQLiteLinked.h>\nCSQLITE_LINKED(app_sqlite)\n"

  private func lines(_ options: String, _ names: [String] = ["linked"]) throws -> [[String]] {
    try LoaderProgram(["target.c": Self.target], options: "-DLINKED \(options)").lines(names)
      .map { $0.split(separator: " ").map(String.init) }
  }

  @Test("A stripped program has the functions of its static archive, though the loader finds none")
  func archives() throws {
    let sqlite = try lines("-s -l:libsqlite3.a -lm", ["linked", "process"])
    #expect(sqlite[0].starts(with: ["0", sqlite[0][1], "program"]))
    #expect(!sqlite[0].contains("key_v2") && !sqlite[0].contains("pbkdf2"))
    #expect(sqlite[1].joined(separator: " ") == "1 this process contains no SQLite symbols")
    let sqlCipher = try lines("-s -l:libsqlcipher.a -lcrypto -lm", ["linked", "libsqlite3.so.0"])
    #expect(sqlCipher[0].contains("key_v2") && sqlCipher[0].contains("rekey_v2") && !sqlCipher[0].contains("pbkdf2"))
    #expect(sqlCipher[1].starts(with: ["0", sqlite[0][1]]) && !sqlCipher[1].contains("key_v2"))
  }

  @Test("A program without a loader has them, too")
  func fullyStatic() throws {
    let lines = try lines("-static -l:libsqlite3.a -lm")
    #expect(lines[0].first == "0")
  }

  @Test("A program that is linked against a shared library, also one that has fixed addresses, has its functions")
  func shared() throws {
    for options in ["-fPIE", "-fno-pic -no-pie"] {
      let lines = try lines("\(options) -Wl,--no-as-needed -lsqlite3", ["linked", "libsqlite3.so.0"])
      #expect(lines.allSatisfy { $0[0] == "0" && $0[3] == "copy-0" }, "\(lines)")
    }
  }

  @Test("OpenSSL's functions are passed where the target asks for it")
  func derivation() throws {
    #expect(try lines("-DCSQLITE_LINKED_OPENSSL -l:libsqlcipher.a -lcrypto -lm")[0].last == "pbkdf2")
  }

  @Test("A target names the optional functions that its engine has")
  func leftOut() throws {
    let lines = try lines("'-DCSQLITE_LINKED_OPTIONAL(X)=X(compileoption_used) X(txn_state)' -l:libsqlite3.a -lm")
    #expect(lines[0].dropFirst(4) == ["compileoption_used", "txn_state"])
  }

  @Test("An optional function of another library is left out")
  func weak() throws {
    let lines = try lines("-fPIE -pie -l:libsqlite3.a -Wl,--no-as-needed -lsqlcipher -lm")
    #expect(lines[0][0] == "0" && !lines[0].contains("key_v2"), "\(lines)")
  }

  @Test("Two engines are linked into one program when the functions of one are renamed, and are two copies")
  func renamed() throws {
    let preparation = """
      archive=$(clang -print-file-name=libsqlcipher.a)
      nm -g --defined-only "$archive" | awk '$3 ~ /^sqlite3/ { print $3, "other_" $3 }' >names
      objcopy --redefine-syms names "$archive" other.a
      awk '{ print "#define", $1, $2 }' names >other.c
      echo '#include <CSQLiteLinked.h>
      CSQLITE_LINKED(other_sqlite)' >>other.c
      """
    let options = "-DLINKED -DOTHER -l:libsqlite3.a other.a -lcrypto -lm"
    let lines = try LoaderProgram(["target.c": Self.target], options: options, preparation: preparation).lines([
      "linked", "other", "linked",
    ])
    #expect(lines[0].contains(" program copy-0") && !lines[0].contains("key_v2"))
    #expect(lines[1].contains(" program copy-1") && lines[1].contains("key_v2"))
    #expect(lines[2] == lines[0])
  }
}
