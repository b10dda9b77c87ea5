import FreshetCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lock of a ``CredentialFile``, held, and room for the next record.
///
/// The kernel gives it back with the descriptor, also when the program dies. Its file has to keep its name: once somebody
/// has removed it, the next one locks another, so nothing is written any more under this one.
final class CredentialFileLock: Sendable {
    private struct SessionCredential {
        var lock: Descriptor
        /// The temporary file, as large as most records, from the beginning: a full disk shows before a refresh token has been
        /// spent for what can't be kept.
        var room: Descriptor?
    }

    private let file: CredentialFile
    private let held: Locked<SessionCredential?>

    /// Larger than most records.
    private static let roomSize = 16 << 10

    /// - Parameter lock: the file beside, locked.
    init(_ lock: Descriptor, of file: CredentialFile) throws {
        self.file = file
        held = Locked(SessionCredential(lock: lock))
        try file.checkDirectory()
        let room = try file.makeTemporary(like: lock)
        held.withLock { $0?.room = room }
        try file.put([UInt8](repeating: 0, count: Self.roomSize), into: room)
        file.onStep?(.reserved)
    }

    deinit { release() }

    func replace(with record: StoredCredential) throws {
        guard let held = held.withLock({ $0 }) else { throw StoreError.lockGivenBack }
        let bytes = try file.coding.encode(record)
        guard bytes.count <= CredentialFile.sizeLimit else {
            throw StoreError("the tokens are too long for the credential store \(file.path); check what was given")
        }
        guard try file.isLocked(by: held.lock) else {
            throw StoreError(
                "the lock of the credential store \(file.path) was removed by somebody else, and nothing is written"
                    + " without it; leave \(file.lockPath) where it is, and try again")
        }
        let room = self.held.withLock { held -> Descriptor? in
            defer { held?.room = nil }
            return held?.room
        }
        try file.replace(with: bytes, through: try room ?? file.makeTemporary(like: held.lock))
    }

    /// Can be called more than once.
    func release() {
        let held = self.held.withLock { held -> SessionCredential? in
            defer { held = nil }
            return held
        }
        guard let held else { return }
        // Under another's lock the temporary file is that one's.
        if held.room != nil, (try? file.isLocked(by: held.lock)) == true { unlink(file.temporaryPath) }
    }
}
