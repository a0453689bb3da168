#if canImport(Combine)
  public import Combine
  public import Dispatch

  extension DatabaseMigrator {
    /// Returns a publisher that applies the pending migrations once it gets a subscriber.
    ///
    /// - Parameter scheduler: The scheduler on which the publisher completes; the main queue by default.
    /// - Returns: A publisher that emits one empty value on success.
    public func migratePublisher(_ writer: any DatabaseWriter, receiveOn scheduler: some Scheduler = DispatchQueue.main)
      -> AnyPublisher<Void, any Error>
    {
      Deferred {
        Future<Void, any Error> { promise in
          // `Future` calls its promise once, from any thread, which Combine allows.
          let box = PromiseBox(promise)
          asyncMigrate(writer) { (result: Result<Database, any Error>) in box.promise(result.map { _ in () }) }
        }
      }
      .receive(on: scheduler)
      .eraseToAnyPublisher()
    }
  }

  /// A wrapper that passes a promise to the database's queue.
  ///
  /// `@unchecked Sendable` is correct because Combine's promises may be fulfilled from any thread.
  private struct PromiseBox: @unchecked Sendable {
    let promise: (Result<Void, any Error>) -> Void
    init(_ promise: @escaping (Result<Void, any Error>) -> Void) { self.promise = promise }
  }
#endif
