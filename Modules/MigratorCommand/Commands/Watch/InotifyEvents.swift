#if os(Linux)
  #if canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif

  /// Events of Linux: inotify(7).
  final class InotifyEvents: FileEvents {
    /// What may change the text of a migration, or the names in a folder.
    private static let mask =
      UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE)
      | UInt32(IN_DELETE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    private let events: Int32
    private let alarm: (read: Int32, write: Int32)

    /// Nil when the system has none left for this user.
    init?() {
      events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      var ends: [Int32] = [-1, -1]
      guard events >= 0 else { return nil }
      guard pipe(&ends) == 0 else {
        close(events)
        return nil
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      alarm = (ends[0], ends[1])
    }

    deinit {
      for descriptor in [events, alarm.read, alarm.write] { close(descriptor) }
    }

    /// A folder tells of the files in it.
    ///
    /// One that is watched already stays so; one that is not there is passed over.
    func watch(folders: [String], files: [String]) {
      for folder in folders { inotify_add_watch(events, folder, Self.mask) }
    }

    func wait(milliseconds: Int?) {
      var descriptors = [
        pollfd(fd: events, events: Int16(POLLIN), revents: 0),
        pollfd(fd: alarm.read, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&descriptors, 2, milliseconds.map(Int32.init) ?? -1) > 0 else { return }
      // Which events there are is of no matter; the alarm stays, so that whoever was woken once stays awake.
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      while read(events, &buffer, buffer.count) > 0 {}
    }

    func wake() { _ = write(alarm.write, "!", 1) }
  }
#endif
