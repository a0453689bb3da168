#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The functions of dqlite's library that run a node, loaded at run time.
struct NodeLibrary {
  typealias Node = OpaquePointer
  typealias Text = UnsafePointer<CChar>

  let create: @convention(c) (UInt64, Text, Text, UnsafeMutablePointer<Node?>) -> Int32
  let setAddress: @convention(c) (Node, Text) -> Int32
  let setLatency: @convention(c) (Node, UInt32) -> Int32
  let start: @convention(c) (Node) -> Int32
  let stop: @convention(c) (Node) -> Int32
  let destroy: @convention(c) (Node) -> Void
  let message: @convention(c) (Node) -> Text?
  let version: @convention(c) () -> Int32

  /// Loads the library; nil if it or one of the functions is missing.
  init?() {
    guard let library = dlopen("libdqlite.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
    guard let create = dlsym(library, "dqlite_node_create"), let destroy = dlsym(library, "dqlite_node_destroy"),
      let setAddress = dlsym(library, "dqlite_node_set_bind_address"),
      let setLatency = dlsym(library, "dqlite_node_set_network_latency_ms"),
      let start = dlsym(library, "dqlite_node_start"), let stop = dlsym(library, "dqlite_node_stop"),
      let message = dlsym(library, "dqlite_node_errmsg"), let version = dlsym(library, "dqlite_version_number")
    else { return nil }
    // The types are those of dqlite.h 1.11.
    self.create = create.function()
    self.destroy = destroy.function()
    self.setAddress = setAddress.function()
    self.setLatency = setLatency.function()
    self.start = start.function()
    self.stop = stop.function()
    self.message = message.function()
    self.version = version.function()
  }
}

extension UnsafeMutableRawPointer {
  /// The address of a function as the function.
  fileprivate func function<Function>() -> Function { unsafeBitCast(self, to: Function.self) }
}
