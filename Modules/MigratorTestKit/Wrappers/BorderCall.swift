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
  /// The requirement of ``DatabaseConnection`` with this name.
  case userVersion, applicationID, close
  /// ``DatabaseConnection/setUserVersion(_:)``.
  case setUserVersion(Int32)
  /// ``DatabaseConnection/setApplicationID(_:)``.
  case setApplicationID(Int32)
  /// ``ConnectionInterrupter/interrupt()``.
  case interrupt
  /// The requirement of ``TransactionControl`` with this name.
  case commit, rollback, dataVersion, enforcesForeignKeys
  /// ``TransactionControl/begin(_:)``.
  case begin(TransactionKind)
  /// ``TransactionControl/beginSavepoint(_:)``.
  case beginSavepoint(String)
  /// ``TransactionControl/releaseSavepoint(_:)``.
  case releaseSavepoint(String)
  /// ``TransactionControl/rollbackSavepoint(_:)``.
  case rollbackSavepoint(String)
  /// ``TransactionControl/setEnforcesForeignKeys(_:)``.
  case setEnforcesForeignKeys(Bool)
  /// The requirement of ``SchemaIntrospection`` with this name.
  case schema, schemaVersion, attachedFiles, counterTable, eraseEverything
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
  /// ``ChangeRecorder/start(isContinued:)``, ``ChangeRecorder/stop()`` and ``ChangeRecorder/addedObjects()``.
  case startRecording, stopRecording, addedObjects
  /// ``ConnectionStateKeeper/state()`` and ``ConnectionStateKeeper/restore(_:)``.
  case connectionState, restoreConnectionState
}
