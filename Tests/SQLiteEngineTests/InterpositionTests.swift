import Foundation
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

/// A small program that is linked against SQLite loads the other engines.
///
/// A test process cannot show this, since it is linked against none.
@Suite("A program that is linked against SQLite")
struct InterpositionTests {
  static let program = """
    #include <stdio.h>
    #include "CSQLiteLoader.h"
    int main(int count, char **paths) {
      printf("%s\\n", sqlite3_libversion());
      for (int i = 1; i < count; i++) {
        const csqlite_library *library;
        char message[2000];
        csqlite_status status = csqlite_load(paths[i], &library, message, sizeof message);
        sqlite3 *database = NULL;
        if (status == CSQLITE_LOADED) status = library->functions.open_v2(":memory:", &database, 6, NULL);
        printf("%d %s\\n", status, database ? library->functions.libversion() : message);
      }
    }
    """

  @Test("Each engine keeps its own functions")
  func bindsDeeply() throws {
    let versions = try TestEngine.allCases.map { try $0.connectInMemory().text("SELECT sqlite_version()") }
    let lines = try run(Self.program)
    #expect(lines.dropFirst() == versions.map { "0 \($0 ?? "")" }[...])
  }

  @Test("Where deep binding is unavailable, the engines are rejected before they crash")
  func refuses() throws {
    // A symbol of a sanitizer's runtime, under which libraries cannot use deep binding.
    let lines = try run(Self.program + "\nvoid __asan_init(void) {}\n", "-rdynamic")
    // The SQLite that the program is linked against is the same library, and safe.
    let refusal = "2 another SQLite in this process intercepts its internal calls"
    #expect(lines.dropFirst() == ["0 \(lines.first ?? "")", refusal, refusal])
  }

  private func run(_ program: String, _ options: String...) throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write(program.utf8, to: "main.c")
    let sources = "\(BuiltEngines.packageRoot)/Modules/CSQLiteLoader"
    let names = ["csqlite_load.c", "csqlite_calls.c", "csqlite_exit.c", "csqlite_system.c"].map { "\(sources)/\($0)" }
    _ = try output(
      of: ["clang", "-w", "-I\(sources)/include", folder.file("main.c")] + names
        + ["-o", folder.file("program"), "-Wl,--no-as-needed", "-lsqlite3", "-ldl"] + options)
    let libraries = try TestEngine.allCases.map { try $0.loadablePath() }
    return try output(of: [folder.file("program")] + libraries).split(separator: "\n").map(String.init)
  }

  private func output(of command: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command[0]) failed")
    return String(decoding: data, as: UTF8.self)
  }
}
