import Foundation
import Migrator

/// A statement that is correct except for one fault.
final class WrongStatement: DatabaseStatement {
  private let base: any DatabaseStatement
  private let script: String
  private let connection: WrongConnection
  private let schemaVersion: Int64
  private var values: [DatabaseValue] = []
  private var copies: [UnsafeMutableBufferPointer<UInt8>] = []
  private var fault: Fault? { connection.fault }

  init(_ base: any DatabaseStatement, script: String, connection: WrongConnection) throws(DatabaseError) {
    self.base = base
    self.script = script
    self.connection = connection
    schemaVersion = connection.fault == .preparesForOneSchema ? try connection.base.schemaVersion() : 0
    if connection.fault == .unboundIsZero {
      for index in 0..<base.parameterCount { try base.bind(.integer(0), at: index) }
    }
  }

  var sql: String { fault == .textIsScript ? script : base.sql }
  var isReadOnly: Bool { fault == .alwaysReadOnly ? true : fault == .neverReadOnly ? false : base.isReadOnly }
  var columnNames: [String] { fault == .mixesColumnNames ? base.columnNames.reversed() : base.columnNames }
  var columnCount: Int { base.columnCount }
  var parameterCount: Int { base.parameterCount }

  func parameterName(at index: Int) -> String? {
    base.parameterName(at: index).map { fault == .prefixesParameters ? ":" + $0 : $0 }
  }

  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
    var value = value
    switch (fault, value) {
    case (.integersOf32Bits, .integer(let number)): value = .integer(Int64(Int32(truncatingIfNeeded: number)))
    case (.realsOfSingle, .real(let number)): value = .real(Double(Float(number)))
    case (.textToNUL, .text(let text)): value = .text(String(text.prefix { $0 != "\0" }))
    case (.normalizes, .text(let text)): value = .text(text.precomposedStringWithCanonicalMapping)
    case (.emptyIsNull, .text("")): value = .null
    case (.shortBlobs, .blob(let data)): value = .blob(data.prefix(1000))
    default: break
    }
    values.append(value)
    if fault == .bindsAnywhere, index >= parameterCount { return }
    try base.bind(value, at: fault == .bindsElsewhere ? parameterCount - 1 - index : index)
  }

  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    if fault == .interruptsLater, connection.isInterrupted.take() {
      throw DatabaseError(.interrupted, engine: "Wrong", message: "interrupted")
    }
    if fault == .preparesForOneSchema, try connection.base.schemaVersion() != schemaVersion, isReadOnly {
      throw DatabaseError(.stale, engine: "Wrong", message: "the schema has changed")
    }
    do throws(DatabaseError) {
      guard try base.step(into: row) else { return false }
      if fault == .convertsStored {
        for column in row.indices where row[column].kind == .text { row[column] = .integer(base.integer(at: column)) }
      }
      return true
    } catch {
      if fault == .passesOverErrors { return false }
      if fault == .rollsBackOnError { try connection.base.rollback() }
      var error = WrongConnection.changed(error, by: fault)
      if fault == .errorsShowValues { error.arguments = values }
      throw error
    }
  }

  func reset() {
    if fault != .neverResets { base.reset() }
    guard fault == .forgetsValues else { return }
    for index in 0..<parameterCount { try? base.bind(.null, at: index) }
  }

  func value(at column: Int) -> ColumnValue {
    let value = base.value(at: column)
    guard fault == .strictText, case .text(let bytes) = value else { return value }
    let text = Array(String(decoding: bytes, as: UTF8.self).filter { $0 != "\u{FFFD}" }.utf8)
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    _ = copy.initialize(from: text)
    copies.append(copy)
    return .text(UnsafeBufferPointer(copy))
  }

  deinit { for copy in copies { copy.deallocate() } }
}
