public import FreshetAuth
public import FreshetCore

/// Makes stores of one kind that share a record, and has the clock of the gates over them. Each requirement is checked with a new
/// fixture, whose record is empty.
public protocol StoreFixture: AnyObject {
    /// The clock of gates over the stores.
    var scheduler: any SchedulerType { get }

    /// Creates one more store over the same record, as another program would.
    func makeStore() throws -> any CredentialStore

    /// Lets time pass until `condition` returns true.
    ///
    /// - Returns: `false` if that did not happen within an ample time.
    func wait(until condition: () -> Bool) -> Bool

    /// Lets enough time pass for pending events to happen.
    func waitAWhile()

    /// Replaces the record with content that no store can decode.
    ///
    /// - Returns: `false` if the record cannot hold other content.
    func spoil() throws -> Bool

    /// Takes the lock away from its holder without notice.
    ///
    /// - Returns: `false` if that cannot happen.
    func loseLock() throws -> Bool

    /// Releases everything that is left. The live resources are counted afterwards.
    func close()
}

extension StoreFixture {
    public func spoil() throws -> Bool { false }
    public func loseLock() throws -> Bool { false }
    public func close() {}
}

extension StoreFixture {
    /// Waits for `single` and returns its value.
    func get<Value>(_ single: Single<Value>) throws -> Value {
        let outcome = Outcome(of: single)
        guard wait(until: { outcome.result != nil }), let result = outcome.result else {
            throw UnmetRequirement("nothing came")
        }
        return try result.get()
    }

    /// Waits for `single` and returns its error.
    func error<Value>(of single: Single<Value>) throws -> any Error {
        do {
            _ = try get(single)
        } catch let unmet as UnmetRequirement {
            throw unmet
        } catch {
            return error
        }
        throw UnmetRequirement("it succeeded")
    }

    /// Performs one whole transaction.
    func save(_ record: StoredCredential, in store: any CredentialStore) throws {
        let lease = try get(store.lock())
        try get(lease.save(record))
        lease.unlock()
    }
}

/// The result of a single. It holds the subscription.
final class Outcome<Value>: Sendable {
    private let ended = Locked<Result<Value, any Error>?>(nil)
    private let subscription = SingleAssignmentDisposable()

    init(of single: Single<Value>) {
        subscription.setDisposable(single.subscribe { [ended] event in ended.withLock { $0 = event } })
    }

    var result: Result<Value, any Error>? { ended.withLock { $0 } }
    var value: Value? { try? result?.get() }

    func giveUp() { subscription.dispose() }
}
