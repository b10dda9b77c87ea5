/// A record that a program without a gate has written under the number of the session's credential, and the number that the gate
/// uses for it instead.
struct RenumberedRecord: Sendable {
    let read: StoredCredential
    let version: Int
}

extension RefreshStateMachine {
    /// Returns a record of the store under a number that no other credential of this gate has.
    ///
    /// The gate tells credentials apart by their versions. A program without a gate, such as a script that writes the file, has no
    /// reason to count: its login can have the version of the credential that the server has just refused.
    mutating func numbered(_ read: StoredCredential) -> StoredCredential {
        var stored = read
        if let renumbered, read.isSameWrite(as: renumbered.read) { stored = read.numbered(renumbered.version) }
        guard let last = lastCredential, last.generation == stored.version, stored.credential != nil,
            !stored.isSameWrite(as: StoredCredential(credential: last, version: last.generation))
        else { return stored }
        let version = nextVersion(after: stored.version)
        renumbered = RenumberedRecord(read: read, version: version)
        return read.numbered(version)
    }

    mutating func numbered(_ opening: Opening) -> Opening {
        if case .found(let stored) = opening { .found(numbered(stored)) } else { opening }
    }
}

extension StoredCredential {
    fileprivate func numbered(_ version: Int) -> StoredCredential {
        StoredCredential(
            credential: credential, version: version, isRefused: isRefused, foreignMembers: foreignMembers)
    }
}
