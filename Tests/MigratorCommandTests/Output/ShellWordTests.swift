import Foundation
import TestEngines
import Testing

@testable import MigratorCommand

/// The shell reads a word in a suggested command as intended.
@Suite("Shell quoting")
struct ShellWordTests {
  @Test("A word without special characters is not quoted")
  func bare() {
    for word in ["app.sqlite", "/srv/data/app-1.db", "Größe.sqlite", "a:b@c,d+e%f"] { #expect(word.shellWord == word) }
    #expect("my app.sqlite".shellWord == "'my app.sqlite'")
    #expect("it's".shellWord == #"'it'\''s'"#)
    #expect(
      "it'\u{301}s".shellWord.unicodeScalars.elementsEqual(#"'it'\''"#.unicodeScalars + "\u{301}s'".unicodeScalars))
    #expect("".shellWord == "''")
  }

  @Test("A shell reads each word unchanged")
  func read() throws {
    let words = [
      "", " ", "a b", "it's", "''", "$HOME", "`ls`", "$(ls)", "a;b", "a&b", "*", "?", "[a]", "{a,b}", "~", "a\\b",
      "\"q\"", "!x", "#x", "a\tb", "a\nb", "<a>", "(a)", "a|b", "-x", "=x", "ü 😀",
    ]
    let script = "printf '%s\\037' " + words.map(\.shellWord).joined(separator: " ")
    let read = try ProgramRun(["/bin/sh", "-c", script]).output
    #expect(read.split(separator: "\u{1f}", omittingEmptySubsequences: false).dropLast().map(String.init) == words)
  }
}
