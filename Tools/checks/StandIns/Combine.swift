// A substitute for Apple's Combine on other systems: the declarations that `migratePublisher` uses, with the same
// signatures (https://developer.apple.com/documentation/combine). It is only compiled, never run.

public import Dispatch

/// A source of values over time.
public protocol Publisher<Output, Failure> {
  /// The type of its values.
  associatedtype Output
  /// The type of its failures.
  associatedtype Failure: Error
}

/// A place to run work.
public protocol Scheduler {}

extension DispatchQueue: Scheduler {}

/// A type-erased publisher.
public struct AnyPublisher<Output, Failure: Error>: Publisher {}

/// A publisher of a single later value.
public final class Future<Output, Failure: Error>: Publisher {
  /// A function that receives the value.
  public typealias Promise = (Result<Output, Failure>) -> Void
  /// Starts the work.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}

/// A publisher that is created for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// The type of its values.
  public typealias Output = DeferredPublisher.Output
  /// The type of its failures.
  public typealias Failure = DeferredPublisher.Failure
  /// Stores the function that creates the publisher.
  public init(createPublisher: @escaping () -> DeferredPublisher) {}
}

/// A publisher that delivers its values on a scheduler.
public struct ReceivedOn<Upstream: Publisher>: Publisher {
  /// The type of its values.
  public typealias Output = Upstream.Output
  /// The type of its failures.
  public typealias Failure = Upstream.Failure
}

extension Publisher {
  /// Delivers values on a scheduler.
  public func receive(on scheduler: some Scheduler) -> ReceivedOn<Self> { ReceivedOn() }
  /// Erases the type.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher() }
}
