public import FreshetAuth
public import FreshetCore

/// The place in which the stores of one kind keep their records, and the clock of that place. Each promise gets a new and empty
/// one.
public protocol StorePlace: AnyObject {
    /// The clock of gates over the stores.
    var scheduler: any SchedulerType { get }

    /// Creates one more store over the same place, as another program would.
    func makeStore() throws -> any CredentialStore

    /// Lets time pass until `isSo` returns true.
    ///
    /// - Returns: `false` if that did not happen within an ample time.
    func waitUntil(_ isSo: () -> Bool) -> Bool

    /// Lets enough time pass for pending events to happen.
    func waitAWhile()

    /// Replaces the record with content that no store can decode.
    ///
    /// - Returns: `false` if the place cannot hold other content.
    func spoil() throws -> Bool

    /// Takes the lock away from its holder without notice.
    ///
    /// - Returns: `false` if that cannot happen.
    func loseLock() throws -> Bool

    /// Releases everything that is left. The live resources are counted afterwards.
    func close()
}

extension StorePlace {
    public func spoil() throws -> Bool { false }
    public func loseLock() throws -> Bool { false }
    public func close() {}
}

extension StorePlace {
    /// Waits for `single` and returns its value.
    func get<Value>(_ single: Single<Value>) throws -> Value {
        let outcome = Outcome(of: single)
        guard waitUntil({ outcome.result != nil }), let result = outcome.result else { throw Breach("nothing came") }
        return try result.get()
    }

    /// Waits for `single` and returns its error.
    func error<Value>(of single: Single<Value>) throws -> any Error {
        do {
            _ = try get(single)
        } catch let breach as Breach {
            throw breach
        } catch {
            return error
        }
        throw Breach("it succeeded")
    }

    /// Performs one whole transaction.
    func save(_ record: StoredCredential, in store: any CredentialStore) throws {
        let lease = try get(store.lock())
        try get(lease.save(record))
        lease.unlock()
    }
}

/// The result of a single. It holds the subscription.
final class Outcome<Value>: @unchecked Sendable {
    private let told = Locked<[Result<Value, any Error>]>([])
    private let subscription = SingleAssignmentDisposable()

    init(of single: Single<Value>) {
        subscription.setDisposable(single.subscribe { [told] event in told.withLock { $0.append(event) } })
    }

    var result: Result<Value, any Error>? { told.withLock { $0.first } }
    var value: Value? { try? result?.get() }
    var count: Int { told.withLock { $0.count } }

    func giveUp() { subscription.dispose() }
}
