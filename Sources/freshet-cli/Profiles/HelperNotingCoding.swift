import Freshet

/// Keeps a record in a credential helper. A note on standard error names the helper that takes longer than a moment, because it
/// may wait for a person who unlocks a keyring.
///
/// It wraps the calls of the helper and not the store, because a move finds its order of locks only from a `FileStore`.
struct HelperNotingCoding: CredentialCoding {
    private var coding: any CredentialCoding
    /// The name of the program.
    private let helper: String
    private let scheduler: any SchedulerType

    /// Those of this process.
    static let waits = Locked(HelperWaits())

    /// - Parameters:
    ///   - name: the helper's name after `docker-credential-`.
    ///   - scheduler: the clock of the note.
    init(helper name: String, server: String, scheduler: any SchedulerType) throws {
        coding = try HelperCoding(helper: name, server: server)
        helper = "docker-credential-\(name)"
        self.scheduler = scheduler
    }

    var location: String? { coding.location }

    func forTransaction() throws -> any CredentialCoding {
        var noting = self
        noting.coding = try coding.forTransaction()
        return noting
    }

    func encode(_ record: StoredCredential) throws -> [UInt8] { try noting { try coding.encode(record) } }
    func decode(_ bytes: [UInt8]) throws -> StoredCredential { try noting { try coding.decode(bytes) } }
    func decodeMissing() throws -> StoredCredential { try noting { try coding.decodeMissing() } }

    private func noting<Result>(_ call: () throws -> Result) rethrows -> Result {
        Self.waits.withLock { $0.begin(helper) }
        let note = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
            if Self.waits.withLock({ $0.note(helper) }) { Console.report("note: waiting for \(helper)") }
            return Disposables.create()
        }
        defer {
            note.dispose()
            // A helper that the shutdown ends has not responded. A command can write its error after the shutdown.
            if !BlockingScheduler.isAwaitedByShutdown { Self.waits.withLock { $0.end(helper) } }
        }
        return try call()
    }
}
