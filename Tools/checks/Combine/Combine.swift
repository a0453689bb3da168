// Stands in for Apple's Combine where there is none: the declarations that `migratePublisher` uses, with the same shapes
// (https://developer.apple.com/documentation/combine). Nothing is ever run with it.

public import Dispatch

/// Gives values over time.
public protocol Publisher<Output, Failure> {
  /// What it gives.
  associatedtype Output
  /// What it fails with.
  associatedtype Failure: Error
}

/// Where things happen.
public protocol Scheduler {}

extension DispatchQueue: Scheduler {}

/// A publisher whose type does not matter.
public struct AnyPublisher<Output, Failure: Error>: Publisher {}

/// A publisher of one value that comes later.
public final class Future<Output, Failure: Error>: Publisher {
  /// Is called with the value.
  public typealias Promise = (Result<Output, Failure>) -> Void
  /// Begins.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}

/// A publisher that is made for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// What it gives.
  public typealias Output = DeferredPublisher.Output
  /// What it fails with.
  public typealias Failure = DeferredPublisher.Failure
  /// Keeps what makes it.
  public init(createPublisher: @escaping () -> DeferredPublisher) {}
}

/// A publisher whose values arrive elsewhere.
public struct ReceivedOn<Upstream: Publisher>: Publisher {
  /// What it gives.
  public typealias Output = Upstream.Output
  /// What it fails with.
  public typealias Failure = Upstream.Failure
}

extension Publisher {
  /// Chooses where values arrive.
  public func receive(on scheduler: some Scheduler) -> ReceivedOn<Self> { ReceivedOn() }
  /// Forgets the type.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher() }
}
