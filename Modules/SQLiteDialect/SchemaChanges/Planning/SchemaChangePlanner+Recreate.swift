internal import Migrator

extension SchemaChangePlanner {
  /// Gives a table the definition of another one, and its rows where columns have equal names or an expression says so.
  mutating func recreate(_ definition: NewTableDescription, copying: [String: String]) throws(DatabaseError) {
    guard !definition.options.contains(.ifNotExists) else {
      throw refusal(
        "only a table that exists can be recreated, which \"\(definition.name)\" has to be",
        remedy: "Leave the option `.ifNotExists` out.")
    }
    try refuseUnknownFeatures(of: definition)
    try refuseHidden(definition.name)
    let editable = try editableTable(definition.name)
    var new = definition
    new.name = editable.object.name
    // The schema is put before the names in the end; a stored definition does not tell it.
    new.schema = nil
    new.options.remove(.temporary)
    let sql = new.createSQL
    guard let text = TableText(sql) else {
      throw refusal(
        "the new definition of \"\(definition.name)\" cannot be read: \(sql)",
        remedy: "Check the parts that are given as SQL.", condition: .statement)
    }
    var rebuild = PendingRebuild(editable, text: text)
    // Indexes are created behind the copy.
    if catalog.isSchemaNamed { new.schema = schema.name }
    rebuild.indexes = new.allIndexes
    for column in text.table.columns where editable.text.column(named: column.name.folded) == nil {
      rebuild.sources[column.name.folded] = nil
    }
    for (name, expression) in copying {
      guard let column = text.column(named: name.asciiLowercased), !column.isGenerated else {
        throw refusal(
          "the new definition of \"\(definition.name)\" has no column \"\(name)\" that could be given values",
          remedy: "Check the names in `copying`.", condition: .statement)
      }
      rebuild.sources[column.name.folded] = "(\(SQLSpelling.closed(expression)))"
      rebuild.mapped.insert(column.name.folded)
      rebuild.copying.insert(column.name.folded)
    }
    for column in editable.text.table.columns where text.column(named: column.name.folded) == nil {
      try refuseUses(of: column.name.value, in: rebuild)
    }
    if text.table.columns.map(\.name.folded) != editable.text.table.columns.map(\.name.folded) {
      try refuseUsesOfOrder(of: definition.name)
    }
    pending = rebuild
    try finishRebuild()
  }
}
