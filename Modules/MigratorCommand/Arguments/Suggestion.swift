internal import SQLMigrations

/// Names that other tools use.
extension Suggestion {
  /// What other tools call a command, and what it is called here.
  static let commandOfOthers = [
    "up": "migrate", "apply": "migrate", "run": "migrate", "upgrade": "migrate", "update": "migrate",
    "deploy": "migrate",
    "latest": "migrate", "init": "new", "create": "new", "add": "new", "generate": "new", "make": "new",
    "revision": "new", "info": "status", "list": "status", "pending": "status", "current": "status",
    "history": "status",
    "reset": "rebuild", "refresh": "rebuild", "fresh": "rebuild", "redo": "rebuild", "drop": "erase", "clean": "erase",
    "validate": "check", "schema": "dump", "snapshot": "dump", "inspect": "dump", "stamp": "baseline",
    "mark": "baseline",
    "fake": "baseline", "resolve": "baseline", "import": "adopt", "erd": "diagram", "graph": "diagram", "dev": "watch",
  ]

  /// What other tools call it when a migration is undone.
  static let undoing: Set<String> = ["down", "rollback", "revert", "undo", "downgrade", "backward"]
}
