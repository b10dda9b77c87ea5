public import FreshetCore
public import FreshetHTTP

/// Keeps a credential for several requests, programs and machines.
///
/// Writes happen only under the store's lock. The holder of the lock reads the store again before it acts. So only one of the
/// gates and programs that share a store refreshes, and the others find its result. Errors are ``StoreError``.
public protocol CredentialStore: Sendable {
    /// Reads the record. Needs no lock: a reader sees the record before or after a write, never a part of it.
    func load() -> Single<StoredCredential>

    /// Waits until the lock is free, and acquires it. Disposing of the subscription ends the wait.
    func lock() -> Single<any CredentialLease>

    /// What a person can look at to see who holds the lock, such as the path of a file. Errors name it.
    var lockName: String? { get }

    /// Whether another object for the same store finds the record again, as with a file. An ``AccountInterceptor`` does not drop an
    /// account whose store is not persistent, because its login would be lost. By default `true`.
    var isPersistent: Bool { get }
}

extension CredentialStore {
    public var lockName: String? { nil }
    public var isPersistent: Bool { true }
}

/// The held lock of a store. It is also released with the last reference to it.
///
/// The calls take effect in their order. A save whose subscription was disposed of, as after a deadline of the gate, either writes
/// nothing, or writes before the next call reads or writes.
public protocol CredentialLease: Sendable {
    func load() -> Single<StoredCredential>

    /// Replaces the record. After success the record survives a crash of the program and, as far as the store can ensure that,
    /// of the machine. Fails without writing if the lock is no longer held.
    func save(_ record: StoredCredential) -> Single<Void>

    /// Releases the lock after any running save. Can be called more than once.
    func unlock()
}

/// The record of a store.
public struct StoredCredential: Sendable, Hashable {
    /// The credential; `nil` before the first login and after a logout.
    public var credential: Credential?
    /// The number of writes, which is the generation of the stored credential. 0 if the store has never been written.
    public var version: Int
    /// Whether the refresh of this credential was refused. It must not be refreshed again, and a login is required.
    public var isRefused: Bool
    /// Members that another program has added to the record. Every write keeps them. Equality ignores them.
    public var foreignMembers: [String: JSONValue]

    public init(
        credential: Credential? = nil, version: Int = 0, isRefused: Bool = false,
        foreignMembers: [String: JSONValue] = [:]
    ) {
        self.credential = credential?.with(generation: version)
        self.version = version
        self.isRefused = isRefused
        self.foreignMembers = foreignMembers
    }

    public static func == (left: StoredCredential, right: StoredCredential) -> Bool {
        left.credential == right.credential && left.version == right.version && left.isRefused == right.isRefused
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(credential)
        hasher.combine(version)
        hasher.combine(isRefused)
    }

    /// Returns the record that replaces this one.
    public func successor(_ credential: Credential?, version: Int? = nil) -> StoredCredential {
        StoredCredential(
            credential: credential, version: version ?? self.version &+ 1, foreignMembers: foreignMembers)
    }

    public static let empty = StoredCredential()
}

extension StoredCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The record without its secrets. Of the foreign members it has the names, because their values can be tokens too.
    public var description: String {
        let names = foreignMembers.keys.sorted().joined(separator: ", ")
        return "version \(version), \(credential?.description ?? "no credential")"
            + (isRefused ? ", refused" : "") + (names.isEmpty ? "" : ", foreign members: \(names)")
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["record": description]) }
}

/// The error of a store that cannot be read or written.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A sentence about the failure and the next step, without secrets.
    public var message: String
    /// Whether the store was read, and holds something that is no record. A login and a move replace that, and a gate demands the
    /// login. A move never replaces what another failure keeps from being read.
    public var isUnreadableRecord: Bool

    public init(_ message: String, isUnreadableRecord: Bool = false) {
        self.message = message
        self.isUnreadableRecord = isUnreadableRecord
    }

    public var description: String { message }
    public var debugDescription: String { message }
}

extension StoreError {
    static let lockGivenBack = StoreError(
        "nothing is written to a credential store after its lock was given back; take it again")
    static let unsendable = StoreError(
        "a token is empty or holds other characters than printable ASCII, and is not stored; check what was given")
}
