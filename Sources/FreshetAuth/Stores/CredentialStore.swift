public import FreshetCore
public import FreshetHTTP

/// Where a credential is kept between requests, between programs and between machines.
///
/// Nothing is written but under the store's lock, and whoever holds it reads again before it acts: so of all who share a
/// store one refreshes, and the others find the result. Errors are ``StoreError``.
public protocol CredentialStore: Sendable {
    /// What is stored. Needs no lock: a reader sees what was there before a write or after it.
    func load() -> Single<StoredCredential>

    /// Waits until nobody else holds the lock, and takes it. Disposing of the subscription gives up waiting.
    func lock() -> Single<any CredentialLease>
}

/// The lock of a store, held. It is also given back when the last reference to it goes.
public protocol CredentialLease: Sendable {
    func load() -> Single<StoredCredential>

    /// Replaces what is stored. When it succeeds, the record outlasts a crash of the program and, as far as the store
    /// can, of the machine. Fails without having written if the lock is not held any more.
    func save(_ record: StoredCredential) -> Single<Void>

    /// Gives the lock back, after a save that runs. Can be called more than once.
    func unlock()
}

/// What a store holds.
public struct StoredCredential: Sendable, Hashable {
    /// Nothing before the first login and after a logout.
    public var credential: Credential?
    /// Counts the writes; the generation of the credential that is stored. 0 if nothing ever was.
    public var version: Int
    /// The refresh of this credential was refused, so it is not to be asked for again: only a login helps.
    public var isRefused: Bool
    /// Members that another program has put into the record. Every write keeps them. No part of what two records are compared
    /// by.
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

    /// The record that replaces this one.
    public func successor(_ credential: Credential?, version: Int? = nil) -> StoredCredential {
        StoredCredential(
            credential: credential, version: version ?? self.version &+ 1, foreignMembers: foreignMembers)
    }

    public static let empty = StoredCredential()
}

/// The store can't be read or written.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What happened and what to do next, without secrets.
    public var message: String

    public init(_ message: String) {
        self.message = message
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
