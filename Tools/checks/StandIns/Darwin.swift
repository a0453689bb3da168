// The names are those of C, and the headers of C document them.
// swift-format-ignore-file

// A stand-in for Apple's module of this name, for Tools/checks/apple: the C library of Linux, except for what Apple's headers
// declare differently. Declarations of a module hide those of a module that it exports again. Nothing here ever runs.
// Compiled twice: first the module DarwinTypes, because Swift allows no function with the name of a type in one module.

#if TYPES
  @_exported import Glibc

  public typealias mode_t = UInt16
  public typealias dev_t = Int32
  public typealias nlink_t = UInt16
  public typealias tcflag_t = UInt
  public typealias rlim_t = UInt64
  public typealias sigset_t = UInt32
  public typealias fsblkcnt_t = UInt32

  public struct stat: @unchecked Sendable {
    public var st_dev: dev_t = 0
    public var st_mode: mode_t = 0
    public var st_nlink: nlink_t = 0
    public var st_ino: UInt64 = 0
    public var st_uid: uid_t = 0
    public var st_gid: gid_t = 0
    public var st_rdev: dev_t = 0
    public var st_atimespec = timespec()
    public var st_mtimespec = timespec()
    public var st_ctimespec = timespec()
    public var st_birthtimespec = timespec()
    public var st_size: Int64 = 0
    public var st_blocks: Int64 = 0
    public var st_blksize: Int32 = 0
    public var st_flags: UInt32 = 0

    public init() {}
  }

  public struct statvfs: @unchecked Sendable {
    public var f_bsize: UInt = 0
    public var f_frsize: UInt = 0
    public var f_blocks: fsblkcnt_t = 0
    public var f_bfree: fsblkcnt_t = 0
    public var f_bavail: fsblkcnt_t = 0

    public init() {}
  }

  public struct sigaction: @unchecked Sendable {
    public struct Handler: @unchecked Sendable {
      public var __sa_handler: (@convention(c) (Int32) -> Void)!
    }

    public var __sigaction_u = Handler()
    public var sa_mask: sigset_t = 0
    public var sa_flags: Int32 = 0

    public init() {}
  }

  public struct rlimit: @unchecked Sendable {
    public var rlim_cur: rlim_t
    public var rlim_max: rlim_t

    public init(rlim_cur: rlim_t, rlim_max: rlim_t) { (self.rlim_cur, self.rlim_max) = (rlim_cur, rlim_max) }
  }
#else
  @_exported import DarwinTypes

  public var S_IFMT: mode_t { 0o170000 }
  public var S_IFREG: mode_t { 0o100000 }
  public var S_IFDIR: mode_t { 0o040000 }
  public var S_IFLNK: mode_t { 0o120000 }

  // MARK: Files

  public func stat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
  public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
  public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
  public func fstatat(
    _ descriptor: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!, _ flags: Int32
  ) -> Int32 { -1 }
  public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
  public func openat(_ descriptor: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
  @discardableResult
  public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { -1 }

  public func statvfs(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<statvfs>!) -> Int32 { -1 }

  public struct dirent: @unchecked Sendable {
    public var d_ino: UInt64 = 0
    public var d_type: UInt8 = 0
    public var d_name: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
  }

  public struct DIR {}

  public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { nil }
  public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
  @discardableResult
  public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 { -1 }

  public var RENAME_EXCL: Int32 { 4 }
  public func renameatx_np(
    _ descriptor: Int32, _ old: UnsafePointer<CChar>!, _ otherDescriptor: Int32, _ new: UnsafePointer<CChar>!,
    _ flags: UInt32
  ) -> Int32 { -1 }
  public var F_FULLFSYNC: Int32 { 51 }
  @discardableResult
  public func memset_s(_ memory: UnsafeMutableRawPointer!, _ size: Int, _ value: Int32, _ count: Int) -> Int32 { -1 }
  @available(*, unavailable)
  public func explicit_bzero(_ memory: UnsafeMutableRawPointer!, _ count: Int) {}

  // MARK: Threads, signals and processes

  public struct _opaque_pthread_t {}
  public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

  public func pthread_self() -> pthread_t { fatalError() }
  public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
  ) -> Int32 { -1 }
  @discardableResult
  public func pthread_join(_ thread: pthread_t, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 {
    -1
  }

  @discardableResult
  public func sigaction(
    _ number: Int32, _ action: UnsafePointer<sigaction>?, _ previous: UnsafeMutablePointer<sigaction>?
  ) -> Int32 { -1 }
  @discardableResult
  public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { -1 }
  @discardableResult
  public func sigaddset(_ set: UnsafeMutablePointer<sigset_t>!, _ number: Int32) -> Int32 { -1 }
  @discardableResult
  public func pthread_sigmask(
    _ how: Int32, _ set: UnsafePointer<sigset_t>?, _ previous: UnsafeMutablePointer<sigset_t>?
  ) -> Int32 { -1 }

  public var RLIMIT_CORE: Int32 { 4 }
  @discardableResult
  public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { -1 }

  public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer

  @discardableResult
  public func posix_spawn_file_actions_init(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
    -1
  }
  @discardableResult
  public func posix_spawn_file_actions_destroy(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
    -1
  }
  @discardableResult
  public func posix_spawn_file_actions_adddup2(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ descriptor: Int32, _ new: Int32
  ) -> Int32 { -1 }
  @discardableResult
  public func posix_spawn_file_actions_addopen(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ descriptor: Int32, _ path: UnsafePointer<CChar>!,
    _ flags: Int32, _ mode: mode_t
  ) -> Int32 { -1 }
  public func posix_spawn(
    _ process: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<OpaquePointer?>?,
    _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!, _ variables: UnsafePointer<UnsafeMutablePointer<CChar>?>!
  ) -> Int32 { -1 }
  public func posix_spawnp(
    _ process: UnsafeMutablePointer<pid_t>!, _ name: UnsafePointer<CChar>!,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<OpaquePointer?>?,
    _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!, _ variables: UnsafePointer<UnsafeMutablePointer<CChar>?>!
  ) -> Int32 { -1 }

  // MARK: The terminal and sockets

  public struct termios: @unchecked Sendable {
    public var c_iflag: tcflag_t = 0
    public var c_oflag: tcflag_t = 0
    public var c_cflag: tcflag_t = 0
    public var c_lflag: tcflag_t = 0

    public init() {}
  }

  public func tcgetattr(_ descriptor: Int32, _ settings: UnsafeMutablePointer<termios>!) -> Int32 { -1 }
  @discardableResult
  public func tcsetattr(_ descriptor: Int32, _ when: Int32, _ settings: UnsafePointer<termios>!) -> Int32 { -1 }
  public var TIOCGWINSZ: UInt { 0x4008_7468 }

  public var SOCK_STREAM: Int32 { 1 }
  public var SO_NOSIGPIPE: Int32 { 0x1022 }
  public var IPPROTO_TCP: Int32 { 6 }

  public func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t) -> Int32 { -1 }
  public func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { -1 }

  // MARK: What only Linux has

  @available(*, unavailable)
  public var MSG_NOSIGNAL: Int32 { 0 }
  @available(*, unavailable)
  public var SOCK_CLOEXEC: Int32 { 0 }
  @available(*, unavailable)
  public var TCP_QUICKACK: Int32 { 0 }
  @available(*, unavailable)
  public var O_PATH: Int32 { 0 }
  @available(*, unavailable)
  public func prctl(_ option: Int32, _ argument: UInt) -> Int32 { -1 }
#endif
