internal import Foundation
internal import Migrator

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A node of a cluster: a process that can be killed and started again.
package final class TestNode: Sendable {
  /// The number of the node in its cluster.
  package let id: UInt64
  /// The address, on the loopback device.
  package let address: String
  private let folder: String
  private let latency: Int
  private let process = Lock<Process?>(nil)

  init(id: UInt64, folder: String, latency: Int) throws {
    self.id = id
    self.folder = folder
    self.latency = latency
    address = "127.0.0.1:\(try Self.freePort())"
  }

  /// Starts the node and waits until it takes connections.
  package func start() throws {
    let process = Process()
    process.executableURL = try Self.program()
    process.arguments = ["\(id)", address, folder, "\(latency)"]
    // The node ends when its standard input ends, which this process alone keeps open.
    process.standardInput = Pipe()
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      var watched = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, 60_000) > 0 else { throw NodeFailure(output: "the node does not start") }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw NodeFailure(output: String(decoding: line, as: UTF8.self)) }
      line += data
    }
    self.process.withLock { $0 = process }
  }

  /// Returns the location of the node's program: beside the program that runs the tests.
  private static func program() throws -> URL {
    URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      .deletingLastPathComponent().appendingPathComponent("DqliteNode")
  }

  /// Kills the process without notice, and waits until it has ended.
  package func kill() {
    signal(SIGCONT)
    signal(SIGKILL)
    process.withLock { process in
      process?.waitUntilExit()
      process = nil
    }
  }

  /// Sends a signal to the process.
  package func signal(_ number: Int32) {
    process.withLock { process in
      guard let process, process.isRunning else { return }
      #if canImport(Glibc)
        _ = Glibc.kill(process.processIdentifier, number)
      #else
        _ = Darwin.kill(process.processIdentifier, number)
      #endif
    }
  }

  /// Stops the process, and returns when all of its threads stand still; ``signal(_:)`` with SIGCONT continues it.
  package func halt() {
    signal(SIGSTOP)
    guard let id = process.withLock({ $0?.processIdentifier }) else { return }
    let tasks = "/proc/\(id)/task"
    // A node that does not stop is one that still runs, which the test notices.
    try? TestCluster.wait {
      guard let threads = try? FileManager.default.contentsOfDirectory(atPath: tasks) else { return true }
      // The state follows the name, which is in parentheses (https://man7.org/linux/man-pages/man5/proc.5.html).
      let states = threads.map { thread in
        (try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8))?.split(separator: ")").last?
          .split(separator: " ").first
      }
      return states.allSatisfy { $0 == "T" }
    }
  }

  /// Whether the process runs.
  package var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

  /// Returns a port that is free.
  ///
  /// It lies below those that the system gives to outgoing connections (/proc/sys/net/ipv4/ip_local_port_range):
  /// otherwise such a connection could take the port while the node is down.
  private static func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 10_000..<32_000)
      if isFree(port) { return port }
    }
    throw NodeFailure(output: "no port is free")
  }

  private static func isFree(_ port: UInt16) -> Bool {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { _ = close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

/// A node that did not start.
struct NodeFailure: Error {
  let output: String
}
