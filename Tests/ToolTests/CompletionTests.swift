import Foundation
import TestEngines
import Testing

/// Completions in the actual shells, which `Tools/setup` installs.
@Suite("Completions and the manual page")
struct CompletionTests {
  @Test("bash completes commands, options and option values")
  func bash() throws {
    let transcript = try Transcript()
    try transcript.write("", to: "migrations/1_a.sql")
    try transcript.write("", to: "my folder/my file")
    let lines: [([String], String)] = [
      (["st"], "status"), (["status", "--che"], "--check"), (["completions", ""], "bash zsh fish"),
      (["--backend", "sqlc"], "sqlcipher"), (["migrate", "--migrations", "mig"], "migrations"),
      (["--database", "x", "verif"], "verify"), (["status", "--backend", "=", "sqli"], "sqlite"),
      (["help", "ad"], "adopt"),
      (["status", "--seed"], ""), (["--migrations", "my"], "my folder"),
      (["--database", "my folder/"], "my folder/my file"),
      (["lint", "--format", ""], "text sarif github"), (["diagram", "--format", "m"], "mermaid"),
      (["lint", "--format", "=", "s"], "sarif"), (["new", "x", "--to", "my"], "my folder"),
      (["migrate", "--to", "my"], ""), (["diff", "my"], "my folder"), (["diff", "--sug"], "--suggest"),
      (["diff", "--from", "x", "mig"], "migrations"),
    ]
    for (words, expected) in lines {
      let list = (["migrator"] + words).map { "'\($0)'" }.joined(separator: " ")
      let script = """
        . <(migrator completions bash); COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _migrator; echo ${COMPREPLY[*]}
        """
      try transcript.write(script, to: "complete.bash")
      let outcome = try transcript.run("bash complete.bash")
      #expect(outcome.output == expected + "\n", "\(words) \(outcome.errors)")
    }
  }

  @Test("fish completes commands, options and option values")
  func fish() throws {
    let transcript = try Transcript()
    let lines = [
      ("st", "status"), ("status --che", "--check"), ("completions z", "zsh"), ("status --backend sqlc", "sqlcipher"),
      ("adopt goo", "goose"), ("help ad", "adopt"), ("diff migrator.f", "migrator.fish"),
    ]
    try transcript.run("migrator completions fish >migrator.fish")
    for (line, expected) in lines {
      let outcome = try transcript.run("fish --no-config -c 'source migrator.fish; complete -C \"migrator \(line)\"'")
      let words = outcome.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
      // Since version 4, fish also lists words that contain the letters, which it offers after these.
      let typed = line.split(separator: " ").last ?? ""
      #expect(
        words.first == expected[...] && words.filter { $0.hasPrefix(typed) } == [expected[...]],
        "\(line): \(outcome.output)\(outcome.errors)")
    }
  }

  @Test("zsh completes commands, options and option values")
  func zsh() throws {
    let transcript = try Transcript()
    try transcript.run("migrator completions zsh >_migrator")
    let lines = [
      ("stat", "status"), ("status --che", "--check"), ("completions z", "zsh"), ("status --backend=sqlc", "sqlcipher"),
      ("adopt goo", "goose"), ("diff _migr", "_migrator"),
    ]
    // A separate shell on a pseudo-terminal, in which a key is pressed and the line printed.
    for (line, expected) in lines {
      let script = """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print "REA""DY"'
        zpty -m -r shell out '*READY*'
        zpty -w shell 'show() { print "LI""NE<$BUFFER>"; zle kill-buffer; zle accept-line }; zle -N show; bindkey "^X" show; print "SE""T"'
        zpty -m -r shell out '*SET*'
        zpty -n -w shell $'migrator \(line)\\t\\C-x'
        zpty -m -r shell out '*LINE<*>*'
        print -r -- ${${out#*LINE<}%%>*}
        zpty -d shell
        """
      try transcript.write(script, to: "complete.zsh")
      let outcome = try transcript.run("timeout 20 zsh -f complete.zsh")
      #expect(outcome.output.contains(expected), "\(line): \(outcome.output)\(outcome.errors)")
    }
  }

  @Test("The manual page is complete, and names every command")
  func manual() throws {
    let transcript = try Transcript()
    let outcome = try transcript.run("migrator help --man | man -E ascii -l --warnings=w -")
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors == "")
    for command in ["status", "migrate", "watch", "upgrade-cipher", "EXIT STATUS"] {
      #expect(outcome.output.contains(command))
    }
  }
}
