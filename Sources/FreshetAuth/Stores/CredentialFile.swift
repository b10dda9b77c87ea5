import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of a ``FileStore`` and the lock beside it. All of it blocks.
struct CredentialFile: Sendable {
    let path: String

    /// Larger than any pair of tokens.
    private static let sizeLimit = 1 << 20
    /// Larger than most.
    private static let rehearsalSize = 16 << 10

    private var lockPath: String { path + ".lock" }
    private var temporaryPath: String { path + ".tmp" }
    private var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A lock that is held while this lives: the kernel gives it back with the descriptor, also when the program dies.
    final class Lock: Sendable {
        private let descriptor: Int32

        fileprivate init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }
    }

    /// - Returns: `nil` if somebody else holds the lock.
    func tryLock() throws -> Lock? {
        try makeDirectory()
        guard access(directory, W_OK | X_OK) == 0 else { throw failure("write to the directory of") }
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("open the lock beside") }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            defer { close(descriptor) }
            if errno == EWOULDBLOCK { return nil }
            throw failure("lock")
        }
        let lock = Lock(descriptor)
        try withExtendedLifetime(lock) { try rehearse() }
        return lock
    }

    /// Fails where a write would, before a refresh token has been spent for what can't be kept. Under the lock.
    private func rehearse() throws {
        unlink(temporaryPath)
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("write") }
        defer {
            close(descriptor)
            unlink(temporaryPath)
        }
        try put([UInt8](repeating: 0, count: Self.rehearsalSize), into: descriptor)
        guard mayReplace() else {
            throw StoreError(
                "can't replace the credential store \(path): it is another user's, in a directory where only owners may;"
                    + " check its directory and permissions")
        }
    }

    /// In a sticky directory only the owner of a file may.
    private func mayReplace() -> Bool {
        var place = stat()
        var file = stat()
        guard stat(directory, &place) == 0, place.st_mode & S_ISVTX != 0, lstat(path, &file) == 0 else { return true }
        return [0, place.st_uid, file.st_uid].contains(geteuid())
    }

    func load() throws -> StoredCredential {
        // Not blocking, or a pipe in the file's place would hold the thread for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .empty }
            throw failure("read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.sizeLimit else {
            throw unusable("is no file of a credential")
        }
        return try decode(try bytes(of: descriptor))
    }

    /// To be called under the lock: the temporary file has one name.
    func replace(with record: StoredCredential) throws {
        guard record.credential?.isSendable ?? true else { throw StoreError.unsendable }
        let bytes = Array(try JSONEncoder.forStores.encode(FileRecord(record))) + [UInt8(ascii: "\n")]
        guard bytes.count <= Self.sizeLimit else {
            throw StoreError("the tokens are too long for the credential store \(path); check what was given")
        }
        unlink(temporaryPath)
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("write") }
        do {
            defer { close(descriptor) }
            // Whatever the umask took away.
            guard fchmod(descriptor, 0o600) == 0 else { throw failure("protect") }
            try put(bytes, into: descriptor)
            guard fsync(descriptor) == 0 else { throw failure("write") }
            guard rename(temporaryPath, path) == 0 else { throw failure("replace") }
        } catch {
            unlink(temporaryPath)
            throw error
        }
        try syncDirectory()
    }

    private func bytes(of descriptor: Int32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= Self.sizeLimit else { throw unusable("is no file of a credential") }
        }
    }

    private func put(_ bytes: [UInt8], into descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            rest = rest.dropFirst(count)
        }
    }

    /// So that the rename, too, outlasts a crash of the machine.
    private func syncDirectory() throws {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("sync the directory of") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync the directory of") }
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

    private func decode(_ bytes: [UInt8]) throws -> StoredCredential {
        guard let record = try? JSONDecoder().decode(FileRecord.self, from: Data(bytes)),
            record.stored.credential?.isSendable ?? true
        else { throw unusable("holds no JSON object of a credential") }
        return record.stored
    }

    private func failure(_ action: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            "can't \(action) the credential store \(path): \(reason); check its directory and permissions")
    }

    private func unusable(_ what: String) -> StoreError {
        StoreError("the credential store \(path) \(what); a login replaces it")
    }
}

/// What is in the file.
private struct FileRecord: Codable {
    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
        case version
        case needsLogin = "login_required"
    }

    var accessToken: String?
    var refreshToken: String?
    var expiresAt: Double?
    var version: Int?
    var needsLogin: Bool?

    init(_ stored: StoredCredential) {
        accessToken = stored.credential?.accessToken
        refreshToken = stored.credential?.refreshToken
        expiresAt = stored.credential?.expiresAt
        version = stored.version
        needsLogin = stored.isRefused ? true : nil
    }

    var stored: StoredCredential {
        StoredCredential(
            credential: accessToken.map {
                Credential(accessToken: $0, refreshToken: refreshToken, expiresAt: expiresAt)
            }, version: version ?? 0, isRefused: needsLogin ?? false)
    }
}

extension JSONEncoder {
    fileprivate static var forStores: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
