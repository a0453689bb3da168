extension OutputSchema {
  /// The shapes that several commands use.
  static let shared: [String: JSONShape] = [
    "failure": [
      "exitCode": "integer", "what": "string", "migration?": "string", "file?": "string", "line?": "integer",
      "column?": "integer", "statement?": "integer", "why": ["string"], "rolledBack?": "string", "remedy?": "string",
      "next?": "string", "token?": "string", "losses?": ["#finding"], "applied": ["string"],
      "parts": ["#failure"],
    ],
    "finding": [
      "rule": "string", "file": "string", "line?": "integer", "column?": "integer", "migration?": "string",
      "reason": "string", "remedy": "string", "allowedFor?": "string",
    ],
    "applied": ["identifier": "string", "durationInSeconds": "number"],
    "table": ["name": "string", "rows?": "integer", "reason?": "string"],
    "difference": ["made": ["#object"], "changed": ["#object"], "removed": ["#object"]],
    "object": ["kind": "string", "name": "string", "sql?": "string", "before?": "string", "after?": "string"],
    "group": ["cause": "string", "count": "integer", "examples": ["string"]],
    "column": [
      "name": "string", "declaredType": "string", "isNotNull": "boolean", "defaultValueSQL?": "string",
      "primaryKeyIndex": "integer", "isGenerated": "boolean", "isStored": "boolean", "isHidden": "boolean",
      "notNullConflict?": "string", "notNullName?": "string", "collation?": "string", "generatedSQL?": "string",
    ],
    "schema": [
      "objects": [
        [
          "kind": "string", "name": "string", "tableName": "string", "sql?": "string", "isVirtual": "boolean",
          "isShadow": "boolean",
        ]
      ],
      "tables": [
        [
          "name": "string", "columns": ["#column"], "primaryKey?": ["*": "any"], "uniqueKeys": [["*": "any"]],
          "foreignKeys": [["*": "any"]], "checks": [["*": "any"]], "isStrict": "boolean",
          "isWithoutRowID": "boolean", "module?": "string", "moduleArguments": ["string"], "shadowOf?": "string",
        ]
      ],
      "indexes": [["*": "any"]], "views": [["*": "any"]], "triggers": [["*": "any"]],
    ],
  ]

  private static let checks: [String: JSONShape] = [
    "migrationsFolder?": "string", "engine?": "string", "isSound": "boolean", "warnings": ["string"],
    "checks": [["name": "string", "outcome": "string", "note": "string", "findings": ["string"], "remedy?": "string"]],
  ]

  private static let rebuild: [String: JSONShape] = [
    "isRebuilt": "boolean", "reasons": ["string"], "erased": ["#table"], "lost": ["#table"], "backup?": "string",
    "applied": ["#applied"], "seed?": "string", "schema?": "#difference", "warnings": ["string"],
    "durationInSeconds": "number",
    "kept?": [
      ["table": "string", "rows?": "integer", "reason?": "string", "isRefilled": "boolean", "lostColumns": ["string"]]
    ],
  ]

  private static let history: [String: JSONShape] = [
    "history?": "string", "marked": ["string"], "warnings": ["string"], "unchecked?": ["string"],
  ]

  private static let conversion: [String: JSONShape] = [
    "isConverted": "boolean", "original?": "string", "durationInSeconds": "number",
  ]

  private static let plan: [String: JSONShape] = [
    "exists": "boolean", "engine": "string", "target?": "string", "appliedCount": "integer", "wouldApply": ["string"],
    "migrations": [
      [
        "identifier": "string", "file?": "string", "reasons": ["string"], "commits": "string", "foreignKeys": "string",
        "statements": [["sql": "string", "runCount": "integer"]],
        "destructive": [["sql": "string", "effect": "string"]], "losses": ["#finding"],
        "fewerRows": [["table": "string", "before": "integer", "after": "integer"]],
      ]
    ],
    "refusals": ["string"], "copy?": "string", "rehearsed": ["string"], "gaps": ["string"], "schema?": "#difference",
    "rows": [["table": "string", "inDatabase?": "integer", "before?": "integer", "after?": "integer"]],
    "warnings": ["string"], "token?": "string", "error?": "#failure",
  ]

  /// The members of the objects that the commands print; after a slash, the form of a command that has several, or a form
  /// that any command may print.
  static let results: [String: [String: JSONShape]] = [
    "/error": ["error": "#failure"],
    "/summary": [
      "summary": [
        "databases": "integer", "succeeded": "integer", "failed": "integer", "interrupted": "integer",
        "notBegun": "integer", "outcomes": ["*": "integer"],
        "versions": [["migration?": "string", "databases": "integer"]], "missing": "integer", "unknown": "integer",
        "failures": ["#group"], "warnings": ["#group"], "losses": ["#group"], "token?": "string",
        "durationInSeconds": "number",
      ]
    ],
    "status": [
      "exists": "boolean", "engine?": "string", "migrationsFolder?": "string", "counts": ["*": "integer"],
      "migrations": [
        [
          "identifier": "string", "state": "string", "appliedAt?": "string", "durationInSeconds?": "number",
          "file?": "string", "isOutOfOrder?": "boolean", "hasBegun?": "boolean",
        ]
      ],
    ],
    "plan": plan, "migrate/dry-run": plan,
    "migrate": [
      "applied": ["#applied"], "losses": ["#finding"], "warnings": ["string"], "durationInSeconds": "number",
    ],
    "rebuild": rebuild, "watch": rebuild, "check": checks, "verify": checks, "baseline": history, "adopt": history,
    "encrypt": conversion, "decrypt": conversion, "rekey": conversion, "upgrade-cipher": conversion,
    "erase": ["isErased": "boolean", "lost": ["#table"], "backup?": "string"],
    "restore": [
      "backups": [
        [
          "name": "string", "sizeInBytes": "integer", "rows?": "integer", "lastMigration?": "string",
          "problem?": "string",
        ]
      ],
      "restored?": "string", "kept?": "string",
    ],
    "new": ["path?": "string", "losses?": ["string"], "checks?": ["string"]],
    "dump": ["source": "string", "file?": "string", "sql?": "string", "schema": "#schema"],
    "diff": [
      "from": "string", "to": "string", "isEqual": "boolean", "difference": "#difference", "suggestion?": "string",
      "losses?": ["string"],
    ],
    "diagram": [
      "source": "string", "diagramFormat": "string", "tableCount": "integer", "foreignKeyCount": "integer",
      "file?": "string", "diagram?": "string",
    ],
    "lint": [
      "migrationsFolder": "string", "engine?": "string", "migrationCount": "integer", "findings": ["#finding"],
      "allowed": ["#finding"], "notes": ["string"],
    ],
    "lint/rules": [
      "rules": [["name": "string", "summary": "string", "details": "string", "canBeAllowed": "boolean"]]
    ],
    "completions": ["shell": "string", "script": "string"],
    "help": ["topic?": "string", "text": "string", "commands?": [["name": "string", "summary": "string"]]],
    "version": ["name": "string", "version": "string"],
  ]
}
