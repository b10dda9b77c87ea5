public import FreshetAuth
public import FreshetCore

/// Where the stores of one kind keep what they are given, made anew and empty for each promise, and how time passes there.
public protocol StorePlace: AnyObject {
    /// The clock of gates over the stores.
    var scheduler: any SchedulerType { get }

    /// One more store over the same place, as another program has it.
    func makeStore() throws -> any CredentialStore

    /// Lets time pass until something is so.
    ///
    /// - Returns: `false` if it did not come about in a time that is ample.
    func waitUntil(_ isSo: () -> Bool) -> Bool

    /// Lets so much time pass that what would happen by itself has happened.
    func waitAWhile()

    /// Puts something in the record's place that no store can understand.
    ///
    /// - Returns: `false` if nothing else can get there.
    func spoil() throws -> Bool

    /// Takes the lock away from whoever holds it, who is not told.
    ///
    /// - Returns: `false` if that can't happen.
    func loseLock() throws -> Bool

    /// Whatever is left to end; the live resources are counted after it.
    func close()
}

extension StorePlace {
    public func spoil() throws -> Bool { false }
    public func loseLock() throws -> Bool { false }
    public func close() {}
}

extension StorePlace {
    /// What `single` gives, however long that takes.
    func get<Value>(_ single: Single<Value>) throws -> Value {
        let outcome = Outcome(of: single)
        guard waitUntil({ outcome.result != nil }), let result = outcome.result else { throw Breach("nothing came") }
        return try result.get()
    }

    /// The error that `single` fails with.
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

    /// One whole transaction.
    func save(_ record: StoredCredential, in store: any CredentialStore) throws {
        let lease = try get(store.lock())
        try get(lease.save(record))
        lease.unlock()
    }
}

/// What becomes of a single; holds the subscription.
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
