internal import Migrator
internal import SQLSyntax

enum SchemaStep {
  /// An SQL statement. `diagnoses` are queries for the rows that make it fail.
  case statement(String, diagnoses: [SchemaChangeDiagnosis] = [])
  /// New texts for stored definitions, written to `sqlite_schema` without touching a row.
  case edit([SchemaCatalog.Edit])

  /// Sets whether renaming a table leaves references to it in triggers, views and foreign keys unchanged; nil restores
  /// the connection's setting. Engines without `PRAGMA legacy_alter_table` have only one behavior
  /// (https://www.sqlite.org/pragma.html#pragma_legacy_alter_table).
  case legacyAlterTable(Bool?)

  case reload

  /// Returns a step that selects the text `claim` if a condition is true, and fails otherwise.
  ///
  /// SQL has no assertions: taking the absolute value of the smallest integer is an error, which rolls everything back.
  static func assertion(_ condition: String, _ claim: String) -> SchemaStep {
    .statement("SELECT CASE WHEN \(condition) THEN '\(claim)' ELSE abs(-9223372036854775807 - 1) END")
  }

  /// Returns the steps that drop objects of the temporary schema; the plan drops and re-creates these objects, instead
  /// of editing their definitions.
  static func dropping(temporary edits: [SchemaCatalog.Edit]) -> [SchemaStep] {
    edits.reversed().map { object, _ in
      .statement("DROP \(object.kind.rawValue.uppercased()) temp.\(object.name.quotedIdentifier)")
    }
  }

  /// Returns the steps that re-create objects of the temporary schema, with their new texts.
  static func creating(temporary edits: [SchemaCatalog.Edit], in catalog: SchemaCatalog) -> [SchemaStep] {
    edits.map { object, sql in
      var object = object
      object.sql = sql
      return .statement(catalog.creation(of: object))
    }
  }
}

protocol SchemaPlan {
  var steps: [SchemaStep] { get }
  /// The definitions as they are after the plan's steps.
  var catalog: SchemaCatalog { get }
}

extension SchemaPlan {
  var connection: any SQLiteConnection { catalog.connection }

  func statements() throws(DatabaseError) -> SchemaChangeStatements {
    var writer = StepWriter(catalog)
    for step in steps { try writer.write(step) }
    return writer.statements
  }
}

private struct StepWriter {
  private(set) var statements = SchemaChangeStatements([])

  private let catalog: SchemaCatalog
  private var connection: any SQLiteConnection { catalog.connection }
  private var schema: SchemaName { catalog.schema }

  init(_ catalog: SchemaCatalog) { self.catalog = catalog }

  mutating func write(_ step: SchemaStep) throws(DatabaseError) {
    switch step {
    case .statement(let sql, let diagnoses):
      statements.diagnoses += diagnoses
      emit(sql)
    case .edit(let edits): try edit(edits)
    case .legacyAlterTable(let isOn): try setLegacyAlterTable(isOn)
    case .reload: reload()
    }
  }

  private mutating func emit(_ sql: String) { statements.statements.append(sql) }

  private mutating func restore(by sql: String) {
    if !statements.restoring.contains(sql) { statements.restoring.append(sql) }
  }

  /// Emits statements that replace stored definitions in place.
  ///
  /// A definition that the engine cannot parse would make the whole file unreadable. So the engine parses each
  /// definition beforehand, and all of them again before the transaction can commit: an error rolls everything back.
  /// See the shorter list in https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes.
  private mutating func edit(_ edits: [SchemaCatalog.Edit]) throws(DatabaseError) {
    guard !edits.isEmpty else { return }
    for (object, sql) in edits where object.kind == .table { try validate(sql, of: object) }
    let off = "PRAGMA writable_schema=OFF"
    restore(by: off)
    emit("PRAGMA writable_schema=ON")
    for (object, sql) in edits {
      emit(
        "UPDATE \(schema.definitions) SET sql = \(sql.quotedText)"
          + " WHERE type = '\(object.kind.rawValue)' AND name = \(object.name.quotedText)")
    }
    // Other connections reread the schema when the schema version changes. Earlier statements may have increased it.
    let version = try connection.integer("PRAGMA \(schema.prefix).schema_version") ?? 0
    emit("PRAGMA \(schema.prefix).schema_version = \(version + Int64(statements.statements.count) + 1)")
    // SQLite 3.15 ignores a schema version that the same connection has set.
    reload()
    emit(off)
  }

  /// Throws if the engine cannot parse the new definition of a table; nothing is executed.
  ///
  /// Uses the temporary schema, which has no table of this name; the engine accepts qualified columns in CHECK there.
  private func validate(_ sql: String, of object: SchemaCatalog.Object) throws(DatabaseError) {
    let source = SQLSource(sql)
    guard let start = source.token(2)?.range.lowerBound else { return }
    let isTaken = catalog.objects.contains {
      $0.isTemporary && $0.name.asciiLowercased == object.name.asciiLowercased
    }
    if isTaken || schema.isTemporary { return }
    _ = try connection.prepare(
      "CREATE TABLE temp." + String(decoding: source.bytes[start...], as: UTF8.self), utf8Offset: 0)
  }

  /// Makes this connection read the schema again: rolling back a savepoint that changed the schema has this effect.
  private mutating func reload() {
    emit("SAVEPOINT migrator_reload")
    emit("CREATE TABLE \(schema.qualified(catalog.unusedName(for: "reload")))(a)")
    emit("ROLLBACK TO migrator_reload")
    emit("RELEASE migrator_reload")
  }

  /// Emits the connection's pragma that determines how tables are renamed; it is restored even if a statement fails.
  private mutating func setLegacyAlterTable(_ isOn: Bool?) throws(DatabaseError) {
    guard connection.features.hasLegacyAlterTable else { return }
    let own = try connection.integer("PRAGMA legacy_alter_table") == 1
    let restoring = "PRAGMA legacy_alter_table=\(own ? "ON" : "OFF")"
    if let isOn, isOn != own {
      emit("PRAGMA legacy_alter_table=\(isOn ? "ON" : "OFF")")
      restore(by: restoring)
    } else if isOn == nil, statements.restoring.contains(restoring) {
      emit(restoring)
    }
  }
}
