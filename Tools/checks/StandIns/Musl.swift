// The names are those of C, and the headers of C document them.
// swift-format-ignore-file

// A stand-in for Swift's module of musl, the C library of static programs, for Tools/checks/apple: the C library of Debian,
// except for what the headers of musl declare differently. Nothing here ever runs.
// Compiled twice: first the module MuslTypes, because Swift allows no function with the name of a type in one module.

#if TYPES
  @_exported import Glibc

  public struct sigaction: @unchecked Sendable {
    public struct Handler: @unchecked Sendable {
      public var sa_handler: (@convention(c) (Int32) -> Void)!
    }

    public var __sa_handler = Handler()
    public var sa_mask = sigset_t()
    public var sa_flags: Int32 = 0

    public init() {}
  }
#else
  @_exported import MuslTypes

  public typealias pthread_t = OpaquePointer

  public func pthread_self() -> pthread_t! { nil }
  public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)!,
    _ argument: UnsafeMutableRawPointer!
  ) -> Int32 { -1 }
  @discardableResult
  public func pthread_join(_ thread: pthread_t!, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!) -> Int32 {
    -1
  }

  @discardableResult
  public func sigaction(
    _ number: Int32, _ action: UnsafePointer<sigaction>!, _ previous: UnsafeMutablePointer<sigaction>!
  ) -> Int32 { -1 }

  public var RLIMIT_CORE: Int32 { 4 }
  @discardableResult
  public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { -1 }

  public var SOCK_STREAM: Int32 { 1 }
  public var SOCK_CLOEXEC: Int32 { 0x80000 }
  public var SOCK_NONBLOCK: Int32 { 0x800 }
  public var MSG_NOSIGNAL: Int32 { 0x4000 }
  public var IPPROTO_TCP: Int32 { 6 }

  public func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t) -> Int32 { -1 }
  public func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { -1 }
#endif
