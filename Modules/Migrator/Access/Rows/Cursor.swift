/// Elements that are read one at a time, for use within the access that made them.
public protocol Cursor<Element>: AnyObject {
  /// What the cursor gives.
  associatedtype Element

  /// The next element, nil when there is no more.
  func next() throws -> Element?
}

extension Cursor {
  /// Calls `body` with each element that is left.
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() { try body(element) }
  }

  /// The elements that are left.
  public func all() throws -> [Element] {
    var elements: [Element] = []
    while let element = try next() { elements.append(element) }
    return elements
  }
}
