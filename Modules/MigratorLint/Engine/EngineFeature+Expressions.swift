internal import Migrator
internal import SQLSyntax

extension EngineFeature {
  /// What stands in expressions.
  static let expressions: [EngineFeature] =
    [
      EngineFeature(
        name: "A window function", since: EngineVersion(3, 25),
        remedy: "Use a subquery that counts or adds up the rows."
      ) { _, parts in parts.expressions.lazy.flatMap(\.calls).first(where: \.hasWindow)?.name.token },
      EngineFeature(
        name: "FILTER", since: EngineVersion(3, 30),
        remedy: "Use CASE inside the function: sum(CASE WHEN ... THEN x END)."
      ) { linted, parts in
        // With windows it is as old as these.
        guard !parts.expressions.contains(where: { $0.calls.contains(where: \.hasWindow) }) else { return nil }
        return linted.tokens.indices.first { place in
          linted.tokens[place].isWord("filter") && place > 0 && linted.tokens[place - 1].isOperator(")")
            && place + 1 < linted.tokens.count && linted.tokens[place + 1].isOperator("(")
        }
      },
      EngineFeature(name: "The operator ->", since: EngineVersion(3, 38), remedy: "Use json_extract().") { linted, _ in
        linted.tokens.firstIndex { $0.isOperator("->") || $0.isOperator("->>") }
      },
      EngineFeature(name: "IS DISTINCT FROM", since: EngineVersion(3, 39), remedy: "Use IS NOT, which means the same.")
      {
        linted, _ in linted.place(of: "distinct", "from").flatMap { $0 > 0 ? $0 : nil }
      },
      EngineFeature(
        name: "TRUE or FALSE", since: EngineVersion(3, 23),
        remedy: "Write 1 or 0; older versions take the word for a name or a text."
      ) { linted, parts in
        parts.expressions.lazy.flatMap { expression in expression.tokens }.first { place in
          let token = linted.tokens[place]
          return token.isWord("true") || token.isWord("false")
        }
      },
      EngineFeature(
        name: "A number with underscores", since: EngineVersion(3, 46), remedy: "Leave the underscores out."
      ) {
        linted, _ in linted.tokens.firstIndex { $0.kind == .number && $0.text.contains("_") }
      },
    ] + functions

  /// Functions, by the version that brought them (https://www.sqlite.org/lang_corefunc.html#history).
  private static let functions: [EngineFeature] = [
    (EngineVersion(3, 32), ["iif"]),
    (EngineVersion(3, 34), ["substring"]),
    (EngineVersion(3, 38), ["format", "unixepoch"]),
    (EngineVersion(3, 41), ["unhex"]),
    (EngineVersion(3, 43), ["octet_length", "timediff"]),
    (EngineVersion(3, 44), ["concat", "concat_ws", "string_agg"]),
    (EngineVersion(3, 45), ["jsonb", "jsonb_array", "jsonb_extract", "jsonb_object", "jsonb_set"]),
    (EngineVersion(3, 46), ["json_pretty"]),
    (EngineVersion(3, 50), ["unistr"]),
  ].flatMap { version, names in
    names.map { name in
      EngineFeature(name: "The function \(name)()", since: version, remedy: "Use functions of that version.") {
        _, parts in
        parts.expressions.lazy.flatMap(\.calls).first { $0.name.folded == name }?.name.token
      }
    }
  }
}

/// Statements that the SQLite of `--engine` does not know.
enum UnsupportedStatementRule {
  static func findings(_ linted: LintedStatement, _ scene: LintScene) -> [LintFinding] {
    guard let engine = scene.engine else { return [] }
    let parts = StatementParts(linted.syntax)
    return EngineFeature.all.filter { engine < $0.since }.compactMap { feature in
      feature.use(linted, parts).map { token in
        linted.finding(
          .unsupportedStatement, at: token,
          "\(feature.name) needs SQLite \(feature.since), and the target has \(engine)",
          remedy: feature.remedy)
      }
    }
  }
}
