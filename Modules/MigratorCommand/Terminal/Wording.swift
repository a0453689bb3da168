/// "1 table", "2 tables": a number with its noun.
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// "a", "a and b", "a, b and c"; of more than `limit` names, the first ones and how many others there are.
func listed(_ names: [String], limit: Int = 5) -> String {
  if names.count > limit + 1 {
    return names.prefix(limit).joined(separator: ", ") + " and \(names.count - limit) others"
  }
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " and " + last
}

/// The words of a text in lines of so many columns at most; a longer word has a line of its own.
func wrapped(_ text: String, columns: Int) -> [String] {
  var lines = [""]
  for word in text.split(separator: " ").map(String.init) {
    let last = lines[lines.count - 1]
    if last.isEmpty {
      lines[lines.count - 1] = word
    } else if last.columns + 1 + word.columns <= columns {
      lines[lines.count - 1] += " " + word
    } else {
      lines.append(word)
    }
  }
  return lines
}
