public import FreshetCore
import FreshetHTTP

extension CredentialStore {
    /// Moves the credential to another store, with all that is recorded beside it, and empties this store. The login stays the
    /// same. Two stores with one refresh token would end each other's session.
    ///
    /// Both stores are locked during the move. The other store is written first, so a failure in between leaves the credential
    /// in both stores and never in none. The error says so if this store could not be emptied. Fails with a ``StoreError``, or
    /// with an `HTTPClientError` of code `loginRequired` if there is no credential or its refresh was refused. A move to the same
    /// store, or to a store in the same file, fails too and changes nothing. The move replaces the content of the other store if that is no record
    /// (``StoreError/isUnreadableRecord``). If the other store cannot be read for another reason, the move fails.
    ///
    /// - Returns: the record of the other store.
    public func moveCredential(to other: any CredentialStore) -> Single<StoredCredential> {
        // Moves in opposite directions lock in the same order. Otherwise each could wait for ever for the other's first lock.
        order(before: other).flatMap { order in
            guard order != .same else {
                throw StoreError("the credential is in the store that it is to be moved to; name another store")
            }
            let isFirst = order == .first
            return (isFirst ? lock() : other.lock()).flatMap { first in
                (isFirst ? other.lock() : lock()).flatMap { second in
                    (isFirst ? move(under: first, to: second) : move(under: second, to: first))
                        .do(onDispose: { second.unlock() })
                }.do(onDispose: { first.unlock() })
            }
        }
    }

    private func move(under lease: any CredentialLease, to other: any CredentialLease) -> Single<StoredCredential> {
        lease.load().flatMap { record in
            guard let credential = record.credential, !record.isRefused else {
                throw HTTPClientError(
                    .loginRequired, phase: .preparing,
                    message: record.credential == nil
                        ? "the store has no credential" : "the store has a credential whose refresh was refused",
                    recoverySuggestion: .logIn)
            }
            return other.load().catch { error in
                guard (error as? StoreError)?.isUnreadableRecord == true else { return .error(error) }
                // Its version is not known. That of a first login, 1, is the likeliest one that a running program has, and the
                // moved record must have another one.
                return .just(StoredCredential(version: max(1, record.version)))
            }.flatMap { replaced in
                let moved = StoredCredential(
                    credential: credential, version: replaced.version &+ 1,
                    foreignMembers: replaced.foreignMembers.merging(record.foreignMembers) { _, new in new })
                return other.save(moved).map { moved }
            }.flatMap { moved in
                lease.save(record.successor(nil)).map { moved }.catch { error in
                    .error(
                        StoreError(
                            "the credential is in both stores, because the old one could not be emptied: \(error)"))
                }
            }
        }
    }

    /// Which store a move locks first. The order is that of the files that the paths lead to, also between processes. Of other
    /// stores that are objects it is the same within a process. Values have no order, so the destination is last.
    private func order(before other: any CredentialStore) -> Single<MoveOrder> {
        switch (self as? FileStore, other as? FileStore) {
        case (let file?, let other?): file.fileOrder(before: other)
        case (_?, nil): .just(.first)
        case (nil, _?): .just(.second)
        case (nil, nil):
            if type(of: self) is AnyClass, type(of: other) is AnyClass {
                .just(MoveOrder(ObjectIdentifier(self as AnyObject), ObjectIdentifier(other as AnyObject)))
            } else {
                .just(.first)
            }
        }
    }
}

/// The place of a store beside another in the order in which moves lock them.
enum MoveOrder {
    case first, second
    /// Both are one store.
    case same

    init<Key: Comparable>(_ key: Key, _ other: Key) {
        self = key == other ? .same : key < other ? .first : .second
    }
}
