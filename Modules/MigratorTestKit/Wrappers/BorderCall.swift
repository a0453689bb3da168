public import Migrator

/// A call from the core to a backend or to one of its objects, with its arguments but without bound values.
///
/// Reading values and properties is not a call in this sense: it neither fails nor changes anything.
public enum BorderCall: Sendable, Equatable {
  /// ``DatabaseBackend/connect(_:)``.
  case connect(isReadOnly: Bool)
  /// ``DatabaseBackend/scratch()``.
  case scratch
  /// ``DatabaseConnection/prepare(_:utf8Offset:)``.
  case prepare(script: String, utf8Offset: Int)
  /// ``DatabaseStatement/bind(_:at:)``; `kind` is the type of the bound value, which is not recorded itself.
  case bind(sql: String, index: Int, kind: DatabaseValue.Kind)
  /// ``DatabaseStatement/step(into:)``.
  case step(sql: String, isReadOnly: Bool)
  /// ``DatabaseStatement/reset()``.
  case reset(sql: String)
  /// ``DatabaseConnection/userVersion()``.
  case userVersion
  /// ``DatabaseConnection/setUserVersion(_:)``.
  case setUserVersion(Int32)
  /// ``DatabaseConnection/applicationID()``.
  case applicationID
  /// ``DatabaseConnection/setApplicationID(_:)``.
  case setApplicationID(Int32)
  /// ``DatabaseConnection/close()``.
  case close
  /// ``ConnectionInterrupter/interrupt()``.
  case interrupt
  /// ``TransactionControl/begin(_:)``.
  case begin(TransactionKind)
  /// ``TransactionControl/commit()``.
  case commit
  /// ``TransactionControl/rollback()``.
  case rollback
  /// ``TransactionControl/dataVersion()``.
  case dataVersion
  /// ``TransactionControl/beginSavepoint(_:)``.
  case beginSavepoint(String)
  /// ``TransactionControl/releaseSavepoint(_:)``.
  case releaseSavepoint(String)
  /// ``TransactionControl/rollbackSavepoint(_:)``.
  case rollbackSavepoint(String)
  /// ``TransactionControl/enforcesForeignKeys()``.
  case enforcesForeignKeys
  /// ``TransactionControl/setEnforcesForeignKeys(_:)``.
  case setEnforcesForeignKeys(Bool)
  /// ``SchemaIntrospection/schema(named:)``.
  case schema
  /// ``SchemaIntrospection/schemaVersion()``.
  case schemaVersion
  /// ``SchemaIntrospection/attachedFiles()``.
  case attachedFiles
  /// ``SchemaIntrospection/counterTable()``.
  case counterTable
  /// ``SchemaIntrospection/columns(in:inSchema:)``.
  case columns(table: String)
  /// ``SchemaIntrospection/foreignKeys(on:inSchema:)``.
  case foreignKeys(table: String)
  /// ``SchemaIntrospection/indexes(on:inSchema:)``.
  case indexes(table: String)
  /// ``SchemaIntrospection/foreignKeyViolations(in:)``.
  case foreignKeyViolations(table: String?)
  /// A call to the function that ``SchemaIntrospection/foreignKeyViolations(in:)`` returned.
  case nextForeignKeyViolation(table: String?)
  /// ``SchemaIntrospection/statements(for:)``.
  case statements(SchemaChange)
  /// ``SchemaIntrospection/eraseEverything()``.
  case eraseEverything
  /// ``ChangeRecorder/start(isContinued:)``.
  case startRecording
  /// ``ChangeRecorder/stop()``.
  case stopRecording
  /// ``ChangeRecorder/addedObjects()``.
  case addedObjects
  /// ``ConnectionStateKeeper/state()``.
  case connectionState
  /// ``ConnectionStateKeeper/restore(_:)``.
  case restoreConnectionState
}
