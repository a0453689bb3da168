internal import Migrator
internal import SQLMigrations

/// The check that databases of every age end in the same schema.
struct UpgradePaths {
  /// The most paths that are tried; each runs all migrations.
  private static let limit = 60

  let context: CommandContext
  let source: MigrationSource
  let scratch: ScratchDatabase

  /// Brings an empty database up to each migration, and from there to the end in one go.
  func outcome() throws(ToolFailure) -> ToolCheck.Outcome {
    let identifiers = source.migrator.migrations
    let wanted: SchemaSnapshot
    do {
      wanted = try schema(stoppingAt: nil)
    } catch {
      return .failed([try words(error, path: "an empty database cannot be brought to the end")])
    }
    // The end of one path is the straight way again, so that it need not be tried.
    let stops = Self.chosen(Array(identifiers.dropLast()))
    var findings: [String] = []
    for stop in stops {
      do {
        let found = try schema(stoppingAt: stop)
        let difference = SchemaDifferenceReport(SchemaDifference(from: wanted, to: found))
        guard !difference.isEmpty else { continue }
        findings.append("a database that stood at \(stop) ends in another schema")
        findings += difference.lines(style: Style(usesColor: false)).map { "  " + $0 }
      } catch {
        findings.append(try words(error, path: "a database that stood at \(stop) cannot be brought to the end"))
      }
    }
    guard findings.isEmpty else { return .failed(findings) }
    let tried = stops.count + 1
    let all = identifiers.count
    return .passed(
      "\(counted(tried, "path"))\(tried < all ? " of \(all)" : "") \(tried == 1 ? "ends" : "end") in one schema")
  }

  private func schema(stoppingAt stop: String?) throws -> SchemaSnapshot {
    let queue = try scratch.open()
    return try context.interruptible(queue) {
      if let stop { try source.migrator.run(queue, upTo: stop, rebuilding: .never) }
      try source.migrator.run(queue, rebuilding: .never)
      let schema = try queue.read { try $0.schema() }
      try queue.close()
      return schema.leavingOut(source.migrator.ownTables)
    }
  }

  private func words(_ error: any Error, path: String) throws(ToolFailure) -> String {
    let failure = context.failures(of: source, path: "the scratch database").failure(error)
    guard failure.exitCode != .interrupted else { throw failure }
    let place = failure.place.map { "\($0): " } ?? ""
    return "\(path): \(place)\(([failure.what] + failure.why).joined(separator: ": "))"
  }

  /// All, or as many as the limit allows, spread evenly with the last one among them.
  private static func chosen(_ stops: [String]) -> [String] {
    guard stops.count > limit else { return stops }
    return (1...limit).map { stops[$0 * stops.count / limit - 1] }
  }
}
