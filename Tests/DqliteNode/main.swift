#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// One node of a dqlite cluster: DqliteNode ID HOST:PORT FOLDER [LATENCY_MS]
//
// Prints a line when the node takes connections. Ends on SIGTERM, SIGINT, and when its standard input ends, so that no
// node outlives the test that started it.
runNode(CommandLine.arguments)

func fail(_ message: String) -> Never {
  fputs("\(message)\n", fdopen(2, "w"))
  fflush(nil)
  exit(2)
}

func runNode(_ arguments: [String]) {
  guard arguments.count >= 4, let id = UInt64(arguments[1]) else {
    fail("usage: DqliteNode ID HOST:PORT FOLDER [LATENCY_MS]")
  }
  let (address, folder) = (arguments[2], arguments[3])

  // The library's threads inherit this mask, so that only the wait below receives the signals.
  var stops = sigset_t()
  sigemptyset(&stops)
  sigaddset(&stops, SIGTERM)
  sigaddset(&stops, SIGINT)
  pthread_sigmask(SIG_BLOCK, &stops, nil)
  // A peer that disappears during a write must not end the process.
  signal(SIGPIPE, SIG_IGN)

  guard let library = NodeLibrary() else { fail("libdqlite.so.0 cannot be loaded: install the package libdqlite0") }
  mkdir(folder, 0o700)
  var created: OpaquePointer?
  guard library.create(id, address, folder, &created) == 0, let node = created else { fail("no node was created") }
  func check(_ code: Int32, _ step: String) {
    if code != 0 { fail("\(step): \(code) \(library.message(node).map { String(cString: $0) } ?? "")") }
  }
  check(library.setAddress(node, address), "bind \(address)")
  if let latency = arguments.dropFirst(4).first.flatMap({ UInt32($0) }) {
    check(library.setLatency(node, latency), "latency")
  }
  check(library.start(node), "start")
  print("ready \(id) \(address) dqlite \(library.version())")
  fflush(nil)

  endWithStandardInput()
  var received: Int32 = 0
  sigwait(&stops, &received)
  check(library.stop(node), "stop")
  library.destroy(node)
}

/// Starts a thread that sends SIGTERM to this process when the standard input ends.
func endWithStandardInput() {
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  pthread_create(
    &thread, nil,
    { _ in
      var byte: UInt8 = 0
      while read(0, &byte, 1) > 0 {}
      kill(getpid(), SIGTERM)
      return nil
    }, nil)
}
