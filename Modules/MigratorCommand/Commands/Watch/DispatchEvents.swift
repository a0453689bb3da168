#if canImport(Darwin)
  internal import Darwin
  internal import Dispatch
  internal import Migrator
  internal import Synchronization

  /// Events of Apple's systems, where a folder tells of its names and each file of its text: kqueue(2).
  final class DispatchEvents: FileEvents {
    /// Unchecked: a dispatch source, which is not marked as Sendable, may be used from any thread.
    private struct Sources: @unchecked Sendable {
      var all: [any DispatchSourceFileSystemObject] = []
    }

    private let semaphore = DispatchSemaphore(value: 0)
    private let isAwake = Atomic(false)
    private let sources = Lock(Sources())

    deinit {
      sources.withLock { $0.all.forEach { $0.cancel() } }
    }

    func watch(folders: [String], files: [String]) {
      sources.withLock { sources in
        sources.all.forEach { $0.cancel() }
        sources.all = (folders + files).compactMap(source)
      }
    }

    func wait(milliseconds: Int?) {
      guard !isAwake.load(ordering: .acquiring) else { return }
      if let milliseconds {
        _ = semaphore.wait(timeout: .now() + .milliseconds(milliseconds))
      } else {
        semaphore.wait()
      }
      while semaphore.wait(timeout: .now()) == .success {}
    }

    func wake() {
      isAwake.store(true, ordering: .releasing)
      semaphore.signal()
    }

    private func source(of path: String) -> (any DispatchSourceFileSystemObject)? {
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke], queue: .global())
      source.setEventHandler { [semaphore] in semaphore.signal() }
      source.setCancelHandler { close(descriptor) }
      source.resume()
      return source
    }
  }
#endif
