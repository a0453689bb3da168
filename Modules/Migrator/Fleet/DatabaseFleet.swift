#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Many databases with the same migrations, such as one file for each user, tenant or document.
///
/// ```swift
/// let fleet = DatabaseFleet(paths.map { SQLite(path: $0) })
/// for try await outcome in migrator.migrate(fleet, concurrency: 8) {
///   print(outcome.database.label, outcome.result)
/// }
/// ```
///
/// Each database is open only while it is in use, so the number of open files and the memory depend on the concurrency,
/// not on the size of the fleet. Plain and encrypted databases can be mixed.
public struct DatabaseFleet: Sendable {
  /// The outcome of the work on one database.
  public struct Outcome<Value: Sendable>: Sendable {
    /// The database.
    public let database: any DatabaseBackend
    /// The result, or the error that ended the work on this database.
    public let result: Result<Value, any Error>
  }

  /// The error of a run that stopped because too many databases failed; the outcomes contain the errors of the
  /// databases.
  public struct TooManyFailures: LocalizedError, Equatable, CustomStringConvertible {
    /// The maximum number of failures, which was reached.
    public let maximum: Int

    /// A description of the error, and how to fix it.
    public var description: String {
      "the run stopped because \(maximum) \(maximum == 1 ? "database" : "databases") failed. It did not start the "
        + "databases after that. Correct the cause and run it again: it skips databases that are already done."
    }

    /// The same text as `description`.
    public var errorDescription: String? { description }
  }

  private let configuration: Configuration
  private let backends: @Sendable (_ add: @Sendable (any DatabaseBackend) async -> Bool) async throws -> Void

  /// Creates a fleet of databases.
  ///
  /// - Parameter configuration: The configuration with which to open each database. A locked database is tried a second
  ///   time after all others; only then does the configuration's busy mode apply.
  public init(
    _ backends: some Sequence<any DatabaseBackend> & Sendable, configuration: Configuration = Configuration()
  ) {
    self.configuration = configuration
    self.backends = { add in
      for backend in backends { guard await add(backend) else { return } }
    }
  }

  /// Creates a fleet of databases that become known one by one.
  ///
  /// - Parameters:
  ///   - backends: The databases. If the sequence throws an error, the run first finishes the databases before it, then
  ///     throws the error.
  ///   - configuration: The configuration, as for the other initializer.
  public init<Backends: AsyncSequence & Sendable>(
    _ backends: Backends, configuration: Configuration = Configuration()
  ) where Backends.Element == any DatabaseBackend {
    self.configuration = configuration
    self.backends = { add in
      for try await backend in backends { guard await add(backend) else { return } }
    }
  }

  /// Opens the databases and uses each; see ``Outcomes`` for the errors and cancellation.
  ///
  /// - Parameter use: The work on one database. It must run each access through the `AsyncAccess`, so that the access
  ///   can be canceled. At a second attempt, the last argument is the error of the first attempt, in which the database
  ///   was locked; otherwise, it is nil.
  func outcomes<Value: Sendable>(
    concurrency: Int, maximumFailures: Int?, readonly: Bool,
    _ use: @escaping @Sendable (DatabaseQueue, AsyncAccess, _ locked: (any Error)?) throws -> Value
  ) -> Outcomes<Value> {
    let run = FleetRun<any DatabaseBackend, Outcome<Value>>(
      concurrency: concurrency, maximumFailures: maximumFailures, verdict: { $0.verdict }
    ) { [configuration] backend, locked in
      var configuration = configuration
      configuration.readonly = configuration.readonly || readonly
      if locked == nil { configuration.busyMode = .immediateError }
      let access = AsyncAccess()
      let result = await withTaskCancellationHandler {
        Result {
          let queue = try DatabaseQueue(backend, configuration: configuration)
          let value = try use(queue, access, locked?.error)
          try queue.close()
          return value
        }
      } onCancel: {
        access.cancel()
      }
      return Outcome(database: backend, result: result)
    }
    return Outcomes { [backends] report in
      guard try await run.perform(backends, report: report) else {
        throw TooManyFailures(maximum: maximumFailures ?? 0)
      }
    }
  }
}

extension DatabaseFleet.Outcome {
  fileprivate var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }

  fileprivate var verdict: FleetRun<any DatabaseBackend, Self>.Verdict {
    guard let error else { return .succeeded }
    return error.isLocked ? .locked : .failed
  }
}

extension Error {
  /// Whether another connection's lock is the cause of the error.
  fileprivate var isLocked: Bool {
    switch self as any Error {
    case let error as DatabaseError: error.condition == .busy
    case MigrationError.failed(let failure): failure.underlying.isLocked
    case MigrationError.ledgerUnreadable(_, let error): error.isLocked
    case let error as any WrappingError: error.underlying.isLocked
    default: false
    }
  }
}

extension DatabaseFleet {
  /// The outcomes of a fleet's databases, in the order in which they occur.
  ///
  /// The run begins when the first outcome is requested, and is never more than a few outcomes ahead of the task that
  /// reads them. After the last outcome, the sequence ends, or throws:
  ///
  /// - ``TooManyFailures``, if the number of failures reached the maximum. Databases whose work had already started
  ///   also have outcomes.
  /// - `CancellationError`, if the task was canceled. Databases whose migration was running have an outcome with that
  ///   error; the migration is rolled back.
  /// - The error of the asynchronous sequence with which the fleet was created.
  ///
  /// Releasing the iterator cancels the run as well.
  public struct Outcomes<Value: Sendable>: AsyncSequence, Sendable {
    /// The outcome for one database.
    public typealias Element = Outcome<Value>

    let run: @Sendable (_ report: @escaping @Sendable (Element) async -> Void) async throws -> Void

    /// Returns an iterator; a run begins when the first element is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(run) }

    /// An iterator over the outcomes of one run.
    public final class Iterator: AsyncIteratorProtocol {
      private let run: @Sendable (_ report: @escaping @Sendable (Element) async -> Void) async throws -> Void
      private let channel = Channel<Element>(capacity: 1)
      private var task: Task<Void, any Error>?

      init(_ run: @escaping @Sendable (_ report: @escaping @Sendable (Element) async -> Void) async throws -> Void) {
        self.run = run
      }

      deinit {
        task?.cancel()
        channel.finish()
      }

      /// Returns the next outcome; nil after the last one.
      ///
      /// - Throws: The errors of ``Outcomes``.
      public func next() async throws -> Element? {
        let task = task ?? begin()
        let outcome = await withTaskCancellationHandler {
          await channel.next()
        } onCancel: {
          task.cancel()
        }
        if let outcome { return outcome }
        try await task.value
        return nil
      }

      private func begin() -> Task<Void, any Error> {
        let task = Task { [run, channel] in
          defer { channel.finish() }
          try await run { outcome in _ = await channel.send(outcome) }
        }
        self.task = task
        return task
      }
    }
  }
}
