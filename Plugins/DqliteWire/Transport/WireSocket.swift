#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A TCP connection whose every wait has a deadline, except the lookup of a host name.
final class WireSocket {
  private let descriptor: Int32

  /// Connects to an address of the form `host:port`.
  init(to address: String, within timeout: Duration) throws(WireError) {
    let deadline = ContinuousClock.now + timeout
    guard let colon = address.lastIndex(of: ":") else {
      throw WireError.unreachable("\(address) is not an address of the form host:port")
    }
    let host = address[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
    var hints = addrinfo()
    hints.ai_socktype = Self.streamType
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(String(host), String(address[address.index(after: colon)...]), &hints, &list)
    guard code == 0, let list else {
      throw WireError.unreachable("\(address): \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    var reason = "no address"
    for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
      do throws(WireError) {
        descriptor = try Self.opened(entry.pointee, until: deadline)
        return
      } catch {
        if case .unreachable(let text) = error { reason = text }
      }
    }
    throw WireError.unreachable("\(address): \(reason)")
  }

  deinit { _ = close(descriptor) }

  #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let socketFlags: Int32 = 0
    private static let sendFlags: Int32 = 0
  #elseif canImport(Musl)
    private static let streamType = SOCK_STREAM
    private static let socketFlags = SOCK_CLOEXEC | SOCK_NONBLOCK
    private static let sendFlags = MSG_NOSIGNAL
  #else
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    private static let socketFlags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #endif

  /// Connects a socket that no process started by another thread inherits: it would keep the locks of the connection.
  private static func opened(
    _ address: addrinfo, until deadline: ContinuousClock.Instant
  ) throws(WireError) -> Int32 {
    let descriptor = socket(address.ai_family, address.ai_socktype | Self.socketFlags, address.ai_protocol)
    guard descriptor >= 0 else { throw WireError.unreachable(errorText(errno)) }
    prepare(descriptor)
    var problem = connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    if problem == EINPROGRESS {
      problem = ETIMEDOUT
      if wait(descriptor, for: Int16(POLLOUT), until: deadline) {
        var size = socklen_t(MemoryLayout<Int32>.size)
        // On failure, the connection counts as timed out.
        _ = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size)
      }
    }
    guard problem == 0 else {
      _ = close(descriptor)
      throw WireError.unreachable(errorText(problem))
    }
    return descriptor
  }

  /// Sets the options of a socket; a socket without one of them is slower, but works.
  private static func prepare(_ descriptor: Int32) {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    #if canImport(Darwin)
      // This system cannot create a socket with these flags.
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
    #endif
  }

  private static func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }

  /// Waits until the socket is ready; returns false when the deadline has passed.
  private static func wait(
    _ descriptor: Int32, for events: Int16, until deadline: ContinuousClock.Instant
  ) -> Bool {
    while true {
      let parts = max(deadline - .now, .zero).components
      // Rounded up, so that the last millisecond is not spent with many short waits.
      let milliseconds = parts.seconds * 1000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
      var watched = pollfd(fd: descriptor, events: events, revents: 0)
      let count = poll(&watched, 1, Int32(clamping: milliseconds))
      if count > 0 { return true }
      // A signal has ended the wait early.
      guard count < 0, errno == EINTR else { return false }
    }
  }

  func transmit(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(WireError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        send(descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Self.sendFlags)
      }
      if count > 0 {
        sent += count
      } else {
        try waitAfterError(Int16(POLLOUT), until: deadline)
      }
    }
  }

  /// Fills a buffer with received bytes.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant
  ) throws(WireError) {
    #if !canImport(Darwin)
      // A node sends the second message of an answer only after the first one was acknowledged, which would otherwise
      // take 40 ms; the option must be set before each wait (https://man7.org/linux/man-pages/man7/tcp.7.html).
      var on: Int32 = 1
      _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
    var received = 0
    while received < buffer.count {
      let count = recv(descriptor, buffer.baseAddress.map { $0 + received }, buffer.count - received, 0)
      guard count != 0 else { throw WireError.lost("the node closed the connection") }
      if count > 0 {
        received += count
      } else {
        try waitAfterError(Int16(POLLIN), until: deadline)
      }
    }
  }

  /// Returns whether bytes can be received, or the connection has ended, before the deadline.
  func hasAnswer(until deadline: ContinuousClock.Instant) -> Bool {
    Self.wait(descriptor, for: Int16(POLLIN), until: deadline)
  }

  /// Waits if the last call on the socket would have blocked; throws on any other error, and after the deadline.
  private func waitAfterError(_ events: Int16, until deadline: ContinuousClock.Instant) throws(WireError) {
    let problem = errno
    if problem == EINTR { return }
    guard problem == EAGAIN || problem == EWOULDBLOCK else { throw WireError.lost(Self.errorText(problem)) }
    guard Self.wait(descriptor, for: events, until: deadline) else {
      throw WireError.lost("the node did not answer in time")
    }
  }
}
