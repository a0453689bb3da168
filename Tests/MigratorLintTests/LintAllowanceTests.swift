import Foundation
import Migrator
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@testable import MigratorLint

@Suite("Findings that lint accepts")
struct LintAllowanceTests {
  private let tables = "CREATE TABLE a (b);\nCREATE TABLE c (d);"

  @Test("A comment for the file covers each of its statements, and no other file")
  func file() throws {
    let drops = "DROP TABLE a;\nDELETE FROM c;\n"
    let lint = try LintFixture([tables, "-- migrator: allow-file destructive old\n" + drops, "DROP TABLE c;"])
    #expect(lint.findings(.destructive).map(\.migration) == ["3_a"])
    #expect(lint.allowed.map(\.allowedFor) == ["old", "old"])
    #expect(lint.findings(.unusedAllowance).isEmpty)
  }

  @Test("A comment for a file without findings of its rule is a finding")
  func unused() throws {
    let lint = try LintFixture([tables + "\n-- migrator: allow-file destructive old"])
    #expect(lint.findings.map(\.rule) == [.unusedAllowance])
    #expect(lint.findings.map(\.position?.line) == [3])
  }

  @Test("A file without a statement is a finding, unless a comment allows it")
  func empty() throws {
    let lint = try LintFixture([tables, "-- prices\n", "-- migrator: allow empty-migration kept for its number\n"])
    #expect(lint.findings.map(\.rule) == [.emptyMigration])
    #expect(lint.findings.map(\.migration) == ["2_a"])
    #expect(lint.allowed.map(\.allowedFor) == ["kept for its number"])
    #expect(try FolderFixture.file("-- prices\n").isLeftEmpty)
    #expect(try !FolderFixture.file("-- migrator: allow-file empty-migration x\n").isLeftEmpty)
  }

  @Test("A folder's file covers all its files; one that does not exist covers nothing")
  func folder() throws {
    let files = ["1_a.sql": tables, "2_a.sql": "DROP TABLE a;", "3_a.sql": "DROP TABLE c;"]
    let fixture = try FolderFixture(files)
    let none = LintAllowances(toolName: "migrator")
    #expect(try !fixture.read().hiddenNames.contains(LintAllowances.fileName))
    try fixture.write(
      .init("# ours\r\n\r\nallow destructive  not released yet\r\n".utf8), to: LintAllowances.fileName)
    let accepted = try LintAllowances(folder: fixture.path + "/", toolName: "migrator")
    // As editors on Windows write it.
    try fixture.write(.init("\u{FEFF}allow destructive not released yet\r\n".utf8), to: LintAllowances.fileName)
    let marked = try LintAllowances(folder: fixture.path, toolName: "migrator")
    #expect(try fixture.read().hiddenNames == [LintAllowances.fileName])
    let read = try fixture.read().files
    #expect(read.count == 3)
    let findings = read.dropFirst().map { file in
      LintFinding(
        .destructive, path: file.path, position: nil, migration: file.identifier, statement: 0, reason: "",
        remedy: "")
    }
    #expect(none.apply(to: findings, of: read, judged: []).kept.count == 2)
    #expect(marked.apply(to: findings, of: read, judged: []).kept.isEmpty)
    let (kept, allowed) = accepted.apply(to: findings, of: read, judged: [])
    #expect(kept.isEmpty)
    #expect(allowed.map(\.allowedFor) == ["not released yet", "not released yet"])
  }

  @Test(
    "An invalid line in a folder's file is refused",
    arguments: [
      ("allow destructive", "is not valid"), ("deny destructive x", "is not valid"),
      ("allow destuctive x", "there is no rule"), ("allow does-not-run x", "cannot be allowed"),
    ])
  func refused(line: String, words: String) throws {
    let fixture = try FolderFixture(["1_a.sql": tables, LintAllowances.fileName: "\n" + line])
    let fault = try #require(throws: LintAllowances.Fault.self) {
      try LintAllowances(folder: fixture.path, toolName: "migrator")
    }
    guard case .line(let what, _) = fault else { throw fault }
    #expect(what.hasPrefix("\(fixture.path)/.migrator-lint:2"))
    #expect(what.contains(words))
  }
}
