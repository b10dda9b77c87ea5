import FreshetCore
import Glibc

/// The held lock of a ``CredentialFile``, and reserved disk space for the next record.
///
/// The kernel releases the lock with the descriptor, even when the program crashes. The lock file must keep its name: if it is
/// removed, other processes lock a new file, and nothing is written under this lock any more.
final class CredentialFileLock: Sendable {
    private struct HeldFiles {
        var lock: Descriptor
        /// The temporary file. It is created as large as most records, so that a full disk is detected before a refresh token
        /// is spent for a credential that cannot be stored.
        var temporary: Descriptor?
    }

    let file: CredentialFile
    private let held: Locked<HeldFiles?>

    /// The size of the reserved space in bytes. It exceeds most records.
    private static let reservedSize = 16 << 10

    /// Checks the directory and reserves the space.
    ///
    /// - Parameter lock: the lock file, locked.
    init(_ lock: Descriptor, of file: CredentialFile) throws {
        self.file = file
        held = Locked(HeldFiles(lock: lock))
        try file.checkDirectory()
        try file.checkFile()
        let temporary = try file.makeTemporary(like: lock)
        held.withLock { $0?.temporary = temporary }
        try file.put([UInt8](repeating: 0, count: Self.reservedSize), into: temporary)
        file.onStep?(.reserved)
    }

    deinit { release() }

    func replace(with record: StoredCredential) throws {
        guard let held = held.withLock({ $0 }) else { throw StoreError.lockGivenBack }
        // The coding can write the record to another place, and can take a while.
        try check(held.lock)
        let bytes = try file.coding.encode(record)
        guard bytes.count <= CredentialFile.sizeLimit else {
            throw StoreError("the tokens are too long for the credential store \(file.path); check what was given")
        }
        try check(held.lock)
        let temporary = self.held.withLock { held -> Descriptor? in
            defer { held?.temporary = nil }
            return held?.temporary
        }
        // The lock must not end before the rename, even if it is released meanwhile.
        try withExtendedLifetime(held) {
            try file.replace(with: bytes, through: try temporary ?? file.makeTemporary(like: held.lock))
        }
        file.remember(record)
    }

    private func check(_ lock: Descriptor) throws {
        guard try !file.isLocked(by: lock) else { return }
        throw StoreError(
            "the lock of the credential store \(file.path) was removed by somebody else, and nothing is written"
                + " without it; leave \(file.lockPath) where it is, and try again")
    }

    /// Releases the lock. Can be called more than once.
    func release() {
        let held = self.held.withLock { held -> HeldFiles? in
            defer { held = nil }
            return held
        }
        guard let held else { return }
        // If another process has the lock, the temporary file is that process's.
        if held.temporary != nil, (try? file.isLocked(by: held.lock)) == true { unlink(file.temporaryPath) }
    }
}
