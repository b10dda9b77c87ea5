import CFreshetSystem
import Glibc

extension CredentialFile {
    /// Acquires the lock if it is free.
    ///
    /// - Returns: `nil` if another process or store holds the lock.
    func tryLock() throws -> CredentialFileLock? {
        var file = followingLinks
        try file.checkReach()
        while let lock = try file.acquireLock() {
            // If the lock file was removed in the meantime, others lock a new file, so the lock is acquired again.
            guard try file.isLocked(by: lock) else { continue }
            onStep?(.locked)
            file.coding = try coding.forTransaction()
            return try CredentialFileLock(lock, of: file)
        }
        return nil
    }

    private func acquireLock() throws -> Descriptor? {
        let lock = try openLock()
        while flock(lock.number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            if errno != EINTR { throw failure("lock") }
        }
        return lock
    }

    private func openLock() throws -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW
        let onClosed = onStep.map { onStep in { @Sendable in onStep(.unlocked) } }
        if let lock = Descriptor(opening: lockPath, flags, onClosed: onClosed) { return lock }
        if errno == ENOENT {
            try makeDirectory()
            if let lock = Descriptor(opening: lockPath, flags, onClosed: onClosed) { return lock }
        }
        throw failure("open the lock beside")
    }

    private func makeDirectory() throws {
        var end = directory.startIndex
        while end != directory.endIndex {
            end = directory[directory.index(after: end)...].firstIndex(of: "/") ?? directory.endIndex
            let path = String(directory[..<end])
            if mkdir(path, 0o700) == 0 { continue }
            // Where nothing can be made, the reason is not that the directory exists.
            let reason = errno
            var place = stat()
            guard stat(path, &place) != 0 else { continue }
            errno = reason
            throw failure("make the directory of")
        }
    }

    /// Whether the lock file is still the file that `lock` has locked.
    func isLocked(by lock: Descriptor) throws -> Bool {
        var held = stat()
        var named = stat()
        guard fstat(lock.number, &held) == 0 else { throw failure("look at the lock beside") }
        guard lstat(lockPath, &named) == 0 else {
            guard errno == ENOENT else { throw failure("look at the lock beside") }
            return false
        }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// Checks that the file can be replaced at all. Otherwise a refresh would spend its token for a record that can't be written.
    func checkFile() throws {
        try checkAttributes(freshet_file_attributes(path))
    }

    func checkAttributes(_ attributes: UInt64) throws {
        func has(_ attribute: Int32) -> Bool { attributes & UInt64(attribute) != 0 }
        if has(STATX_ATTR_MOUNT_ROOT) {
            throw StoreError(
                "can't replace the credential store \(path): the file is a mount of its own; mount its directory instead"
            )
        }
        if has(STATX_ATTR_IMMUTABLE) || has(STATX_ATTR_APPEND) {
            throw StoreError(
                "can't replace the credential store \(path): its attributes forbid it; allow it with chattr -i -a")
        }
    }

    /// Checks that this process can replace the record in its directory, and that only this user, the directory's group and
    /// root can.
    func checkDirectory() throws {
        var place = stat()
        guard stat(directory, &place) == 0 else { throw failure("look at the directory of") }
        guard place.st_mode & S_ISVTX != 0 else {
            guard place.st_mode & S_IWOTH == 0 else {
                throw StoreError(
                    "everybody may replace the credential store \(path) in its directory;"
                        + " take a directory of your own, or that right away (chmod o-w)")
            }
            return
        }
        // In a sticky directory only the owner of a file can replace it.
        var file = stat()
        guard lstat(path, &file) != 0 || [0, place.st_uid, file.st_uid].contains(geteuid()) else {
            throw StoreError(
                "can't replace the credential store \(path): it is another user's, in a directory where only owners may;"
                    + " check its directory and permissions")
        }
    }

    /// Creates an empty file for the next record. Its name is fixed, so the caller must hold the lock.
    func makeTemporary(like lock: Descriptor) throws -> Descriptor {
        unlink(temporaryPath)
        guard let temporary = Descriptor(opening: temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
            throw failure("write")
        }
        // The umask can have removed bits of the mode.
        try attempt("protect") { fchmod(temporary.number, 0o600) }
        preserveOwner(of: temporary, lock)
        return temporary
    }

    /// Gives the files that root writes in a user's own directory to that user.
    private func preserveOwner(of files: Descriptor...) {
        var place = stat()
        var file = stat()
        guard geteuid() == 0, stat(directory, &place) == 0, place.st_uid != 0, lstat(path, &file) == 0,
            file.st_uid == place.st_uid
        else { return }
        for descriptor in files { _ = fchown(descriptor.number, file.st_uid, file.st_gid) }
    }

    func put(_ bytes: [UInt8], into file: Descriptor) throws {
        var written = 0
        while written < bytes.count {
            let count = try bytes.withUnsafeBytes { bytes in
                try attempt("write") {
                    pwrite(file.number, bytes.baseAddress! + written, bytes.count - written, off_t(written))
                }
            }
            written += count
        }
    }

    /// Writes `bytes` to the temporary file, and renames it to the record's name.
    ///
    /// - Parameter temporary: the temporary file, with any content.
    func replace(with bytes: [UInt8], through temporary: Descriptor) throws {
        do {
            try put(bytes, into: temporary)
            try attempt("write") { ftruncate(temporary.number, off_t(bytes.count)) }
            onStep?(.written)
            try attempt("write") { fsync(temporary.number) }
            onStep?(.synced)
            try attempt("replace") { rename(temporaryPath, path) }
            onStep?(.renamed)
        } catch {
            unlink(temporaryPath)
            throw error
        }
        try syncDirectory()
        onStep?(.directorySynced)
    }

    /// Makes the rename survive a crash of the machine.
    private func syncDirectory() throws {
        guard let place = Descriptor(opening: directory, O_RDONLY | O_DIRECTORY) else {
            throw failure("sync the directory of")
        }
        while fsync(place.number) != 0 {
            // Some file systems cannot sync a directory, and report `EINVAL`.
            if errno == EINVAL { return }
            if errno != EINTR { throw failure("sync the directory of") }
        }
    }
}
