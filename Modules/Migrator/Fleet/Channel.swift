/// A queue between tasks that holds a bounded number of elements.
///
/// Senders wait from the time the queue is full until it is empty, and receivers wait while it is empty. So neither side
/// gets far ahead of the other, and a full queue does not need a change of threads for each element. Canceling a task
/// does not end its wait; ``finish()`` does.
final class Channel<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var senders: [(element: Element, wait: CheckedContinuation<Bool, Never>)] = []
    var receivers: [CheckedContinuation<Element?, Never>] = []
    var isFinished = false
  }

  private let capacity: Int
  private let state = Lock(State())

  init(capacity: Int) { self.capacity = capacity }

  /// Adds an element; if the channel is finished, discards the element and returns false.
  func send(_ element: Element) async -> Bool {
    await withCheckedContinuation { wait in
      let receiver = state.withLock { state -> CheckedContinuation<Element?, Never>? in
        if state.isFinished {
          wait.resume(returning: false)
        } else if let receiver = state.receivers.popLast() {
          wait.resume(returning: true)
          return receiver
        } else if state.elements.count < capacity {
          state.elements.append(element)
          wait.resume(returning: true)
        } else {
          state.senders.append((element, wait))
        }
        return nil
      }
      receiver?.resume(returning: element)
    }
  }

  /// Returns the oldest element; nil once the channel is finished and empty.
  func next() async -> Element? {
    await withCheckedContinuation { wait in
      // Resumed without the lock: that may start a thread.
      let senders = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
        guard !state.elements.isEmpty else {
          if state.isFinished { wait.resume(returning: nil) } else { state.receivers.append(wait) }
          return []
        }
        wait.resume(returning: state.elements.removeFirst())
        guard state.elements.isEmpty else { return [] }
        let admitted = state.senders.prefix(capacity)
        state.senders.removeFirst(admitted.count)
        state.elements = admitted.map { $0.element }
        return admitted.map { $0.wait }
      }
      for sender in senders { sender.resume(returning: true) }
    }
  }

  /// Refuses further elements, and ends all waits; elements that were accepted can still be received.
  func finish() {
    state.withLock { state in
      state.isFinished = true
      for sender in state.senders { sender.wait.resume(returning: false) }
      for receiver in state.receivers { receiver.resume(returning: nil) }
      (state.senders, state.receivers) = ([], [])
    }
  }
}
