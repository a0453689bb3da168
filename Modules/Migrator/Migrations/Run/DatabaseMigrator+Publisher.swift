#if canImport(Combine)
  public import Combine
  public import Dispatch

  extension DatabaseMigrator {
    /// Applies the migrations that the database does not have, when a subscriber comes.
    ///
    /// - Parameter scheduler: Where the publisher completes; the main queue unless given.
    /// - Returns: A publisher of one empty value.
    public func migratePublisher(_ writer: any DatabaseWriter, receiveOn scheduler: some Scheduler = DispatchQueue.main)
      -> AnyPublisher<Void, any Error>
    {
      Deferred {
        Future<Void, any Error> { promise in
          // `Future` calls its promise once, from whichever thread, which Combine allows.
          let box = PromiseBox(promise)
          asyncMigrate(writer) { (result: Result<Database, any Error>) in box.promise(result.map { _ in () }) }
        }
      }
      .receive(on: scheduler)
      .eraseToAnyPublisher()
    }
  }

  /// Carries a promise to the database's queue.
  ///
  /// `@unchecked Sendable` is right because Combine's promises may be fulfilled from any thread.
  private struct PromiseBox: @unchecked Sendable {
    let promise: (Result<Void, any Error>) -> Void
    init(_ promise: @escaping (Result<Void, any Error>) -> Void) { self.promise = promise }
  }
#endif
