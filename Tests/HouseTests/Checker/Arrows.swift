/// The references between the folders and targets of a source tree.
///
/// An arrow is a type's name in the code of another folder of the same target, or the import of another target. A call
/// of a method that a higher folder adds to a lower type does not count: only the compiler can resolve the method.
struct Arrows {
  private struct Arrow: Hashable {
    let from: String
    let to: String
  }

  let plan: HousePlan
  let files: [SourceFile]

  /// All violations of the order of the targets and folders.
  var violations: [Violation] { unplanned + upwardImports + plan.targets.flatMap { upward($0) + circles($0) } }

  /// Files outside the plan, and entries of the plan without files.
  private var unplanned: [Violation] {
    let strays = files.filter { file in
      guard let target = plan.target(of: file), let folder = target.folder(of: file) else { return true }
      return target.position(ofFolder: folder) == nil
    }
    let gone = plan.targets.flatMap { target in
      target.folders.indices.filter { index in
        !files.contains { file in target.folder(of: file).flatMap { target.position(ofFolder: $0) } == index }
      }.map { "\(target.path)/\(target.folders[$0])" }
    }
    return Set(strays.map(\.folder)).map {
      Violation(rule: .unplanned, place: $0, message: "the folder is not in the plan")
    } + gone.map { Violation(rule: .unplanned, place: $0, message: "the plan has this folder, which has no files") }
  }

  private var upwardImports: [Violation] {
    let names = Set(plan.targets.map(\.name))
    return files.flatMap { file -> [Violation] in
      guard let target = plan.target(of: file) else { return [] }
      return Set(file.imports).intersection(names).subtracting(target.imports).map {
        Violation(rule: .upwardImport, place: file.path, message: "\(target.name) may not import \($0)")
      }
    }
  }

  private func upward(_ target: HousePlan.Target) -> [Violation] {
    arrows(in: target).flatMap { arrow, mentions -> [Violation] in
      guard let from = target.position(ofFolder: arrow.from), let to = target.position(ofFolder: arrow.to), from < to
      else { return [] }
      return mentions.map { mention in
        Violation(
          rule: .upwardArrow, place: mention.file,
          message: "\(mention.type) is in \(arrow.to), above \(arrow.from) (line \(mention.line))")
      }
    }
  }

  /// Returns the cycles among all folders, in the plan or not, each reported at its alphabetically first folder.
  private func circles(_ target: HousePlan.Target) -> [Violation] {
    let arrows = arrows(in: target)
    let next = Dictionary(grouping: arrows.keys, by: \.from).mapValues { $0.map(\.to).sorted() }
    return next.keys.sorted().compactMap { start -> Violation? in
      guard let circle = circle(from: start, next), circle.min() == start else { return nil }
      let steps = zip(circle, circle.dropFirst() + [start]).map { from, to in
        let example = arrows[Arrow(from: from, to: to)]?.first
        return "\(from) names \(to)'s \(example?.type ?? "") in \(example?.file.split(separator: "/").last ?? "")"
      }
      return Violation(
        rule: .circle, place: "\(target.path)/\(start)", message: "a circle: " + steps.joined(separator: ", "))
    }
  }

  /// Returns the shortest path from a folder back to it.
  private func circle(from start: String, _ next: [String: [String]]) -> [String]? {
    var ways = [[start]]
    var seen: Set<String> = []
    while !ways.isEmpty {
      let way = ways.removeFirst()
      for folder in next[way[way.count - 1]] ?? [] {
        if folder == start { return way }
        if seen.insert(folder).inserted { ways.append(way + [folder]) }
      }
    }
    return nil
  }

  private typealias Mention = (file: String, type: String, line: Int)

  /// Returns the arrows between the folders of a target, each with the places that cause it.
  private func arrows(in target: HousePlan.Target) -> [Arrow: [Mention]] {
    let own = files.compactMap { file in target.folder(of: file).map { (folder: $0, file: file) } }
    var home: [String: String] = [:]
    for (folder, file) in own {
      for type in file.types { home[type] = folder }
    }
    var arrows: [Arrow: [Mention]] = [:]
    for (folder, file) in own {
      for (type, line) in file.mentions.sorted(by: { $0.key < $1.key }) {
        guard let other = home[type], other != folder else { continue }
        arrows[Arrow(from: folder, to: other), default: []].append((file.path, type, line))
      }
    }
    return arrows
  }
}
