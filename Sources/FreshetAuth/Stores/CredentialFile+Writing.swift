#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension CredentialFile {
    /// - Returns: `nil` if somebody else holds the lock.
    func tryLock() throws -> CredentialFileLock? {
        let file = followingLinks
        while let lock = try file.acquireLock() {
            // Whoever removed the file between had others lock another one.
            guard try file.isLocked(by: lock) else { continue }
            onStep?(.locked)
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
            guard mkdir(String(directory[..<end]), 0o700) == 0 || [EEXIST, EROFS, EACCES, EISDIR].contains(errno) else {
                throw failure("make the directory of")
            }
        }
    }

    /// Whether the file that has the lock's name is the one that is locked.
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

    /// Whether the record can be replaced here, and by nobody else but us, those of the directory's group, and root.
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
        // There only the owner of a file may.
        var file = stat()
        guard lstat(path, &file) != 0 || [0, place.st_uid, file.st_uid].contains(geteuid()) else {
            throw StoreError(
                "can't replace the credential store \(path): it is another user's, in a directory where only owners may;"
                    + " check its directory and permissions")
        }
    }

    /// An empty file for what will be the next record. It has one name, so only under the lock.
    func makeTemporary(like lock: Descriptor) throws -> Descriptor {
        unlink(temporaryPath)
        guard let room = Descriptor(opening: temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
            throw failure("write")
        }
        // Whatever the umask took away.
        try attempt("protect") { fchmod(room.number, 0o600) }
        preserveOwner(of: room, lock)
        return room
    }

    /// What root writes for a user stays the user's, in that user's own directory.
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

    /// - Parameter room: the temporary file, with anything in it.
    func replace(with bytes: [UInt8], through room: Descriptor) throws {
        do {
            try put(bytes, into: room)
            try attempt("write") { ftruncate(room.number, off_t(bytes.count)) }
            onStep?(.written)
            try attempt("write") { fsync(room.number) }
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

    /// So that the rename, too, outlasts a crash of the machine.
    private func syncDirectory() throws {
        guard let place = Descriptor(opening: directory, O_RDONLY | O_DIRECTORY) else {
            throw failure("sync the directory of")
        }
        while fsync(place.number) != 0 {
            // Some file systems have nothing of a directory to sync, and say so.
            if errno == EINVAL { return }
            if errno != EINTR { throw failure("sync the directory of") }
        }
    }
}
