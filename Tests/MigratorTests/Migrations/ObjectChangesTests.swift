import Testing

@testable import Migrator

@Suite("Ledger: object changes")
struct ObjectChangesTests {
  private func name(_ kind: SchemaObject.Kind, _ name: String) -> SchemaObject.Name {
    SchemaObject.Name(kind: kind, name: name)
  }

  @Test("changes survive conversion to text and back, whatever the names")
  func roundTrip() {
    var changes = ObjectChanges()
    changes.made = [name(.table, "a b"), name(.index, "100%0A\nnew line"), name(.view, "")]
    changes.removed = [name(.trigger, "+table x")]
    let read = ObjectChanges(text: changes.text)
    #expect(read.removed == changes.removed)
    #expect(read.made.isSuperset(of: [name(.table, "a b"), name(.index, "100%0A\nnew line")]))
  }

  @Test("a combining mark after an escape does not hide it")
  func combiningMarks() {
    var changes = ObjectChanges()
    changes.made = [name(.table, "a\n\u{301}b\r\u{301}%\u{301}"), name(.index, "%0A\u{301}%25")]
    #expect(ObjectChanges(text: changes.text).made == changes.made)
    #expect(changes.text.utf8.split(separator: UInt8(ascii: "\n")).count == 2)
  }

  @Test("lines of a later version are ignored")
  func unknownLines() {
    let read = ObjectChanges(text: "+table a\n!future thing\n+sequence s\n\nx")
    #expect(read.made == [name(.table, "a")])
    #expect(read.removed.isEmpty)
  }

  @Test("a differing object counts as made, a missing one as removed")
  func difference() {
    let before = [name(.table, "a"): "1", name(.table, "b"): "1", name(.table, "c"): "1"]
    let after = [name(.table, "a"): "1", name(.table, "b"): "2", name(.table, "d"): "1"]
    let changes = ObjectChanges(from: before, to: after)
    #expect(changes.made == [name(.table, "b"), name(.table, "d")])
    #expect(changes.removed == [name(.table, "c")])
    var owned: Set = [name(.table, "c")]
    changes.apply(to: &owned)
    #expect(owned == changes.made)
  }

  @Test("the digest of a definition is the one that ledgers already have")
  func stableDigest() {
    let table = SchemaObject(kind: .table, name: "Author", tableName: "Author", sql: "CREATE TABLE Author (id INTEGER)")
    let reason = SchemaChangeReason.missingObject(kind: .table, name: "Author")
    let made = ObjectDifference(reason, table, SchemaSnapshot(objects: [table]))
    #expect(made.digest == "fb0f4b2ae1e330b09a3150a63b1a4a5d")
    #expect(ObjectDifference(reason, table, nil).digest == "00000000000000000000000000000000")
  }
}
