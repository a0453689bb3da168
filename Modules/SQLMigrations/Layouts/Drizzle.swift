#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension MigrationLayout {
  /// The layout of Drizzle before its version 1: `0000_name.sql`, in the order of `meta/_journal.json`
  /// (https://orm.drizzle.team/docs/kit-overview).
  package static let drizzle = MigrationLayout(
    requiresUniqueVersions: false, statementEnd: "> statement-breakpoint", list: journalPath, settle: followJournal)
  private static let journalPath = "meta/_journal.json"

  private struct Journal: Decodable {
    struct Entry: Decodable {
      let tag: String
    }
    let entries: [Entry]
  }

  @Sendable private static func followJournal(_ listing: inout FolderListing) {
    let path = listing.path(of: journalPath)
    let journal: Journal
    do {
      journal = try JSONDecoder().decode(Journal.self, from: Data(ScriptFile.text(at: path).utf8))
    } catch let problem as MigrationProblem {
      return listing.problems.append(problem)
    } catch {
      return listing.problems.append(MigrationProblem(.brokenJournal, path: path))
    }
    var places: [String: Int] = [:]
    for (place, entry) in journal.entries.enumerated() { places[entry.tag] = place }
    for index in listing.found.indices where listing.found[index].layout == .plain {
      listing.found[index].layout = .drizzle
      listing.found[index].place = places.removeValue(forKey: listing.found[index].identifier)
    }
    for (tag, _) in places.sorted(by: { $0.value < $1.value }) {
      listing.problems.append(MigrationProblem(.journalEntryWithoutFile("\(tag).sql"), path: path))
    }
  }
}
