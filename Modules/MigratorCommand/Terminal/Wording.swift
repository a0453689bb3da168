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
