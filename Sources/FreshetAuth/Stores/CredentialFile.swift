import FreshetCore
import Glibc

/// The file of a ``FileStore``, and the files beside it. All calls block.
struct CredentialFile: Sendable {
    var path: String
    var coding: any CredentialCoding = JSONCredentialCoding()
    /// Called after each step.
    var onStep: (@Sendable (FileStore.Step) -> Void)?

    /// The device of the directory in which a credential was found or written; `nil` if none was.
    private let device = Locked<dev_t?>(nil)

    /// The largest size of the file in bytes. It exceeds any pair of tokens.
    static let sizeLimit = 1 << 20

    var lockPath: String { path + ".lock" }
    var temporaryPath: String { path + ".tmp" }
    var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func load() throws -> StoredCredential {
        // `O_NONBLOCK` keeps a pipe in place of the file from blocking the thread forever.
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK) else {
            guard errno == ENOENT else { throw failure("read") }
            try checkReach()
            let missing = try naming { try coding.decodeMissing() }
            onStep?(.read)
            return missing
        }
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw failure("read") }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw StoreError("the credential store \(path) is a directory; write the path of a file in it")
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        guard isFile, status.st_size <= Self.sizeLimit else {
            throw unusable("is no file of a credential", isUnreadableRecord: isFile)
        }
        guard isTrusted(ownerOf: status) else {
            throw StoreError(
                "the credential store \(path) belongs to another user, who may have put it there; remove it and log in")
        }
        let bytes = try bytes(of: file)
        // Nothing is lost with a file without a byte, and where nobody logs in, nobody would replace it.
        let stored = try naming { try bytes.isEmpty ? coding.decodeMissing() : coding.decode(bytes) }
        remember(stored)
        onStep?(.read)
        return stored
    }

    /// Whether the owner of the file is trusted: this user, root, or, for a program of root, the owner of the directory. In a
    /// shared directory another user could place their own credential, and requests would send this user's data to that user's
    /// account.
    private func isTrusted(ownerOf file: stat) -> Bool {
        if [0, geteuid()].contains(file.st_uid) { return true }
        var place = stat()
        return geteuid() == 0 && stat(directory, &place) == 0 && place.st_uid == file.st_uid
    }

    /// Puts the name of the store in front of an error of `decode`.
    private func naming(_ decode: () throws -> StoredCredential) throws -> StoredCredential {
        do {
            return try decode()
        } catch var error as StoreError {
            error.message = "the credential store \(coding.location ?? path): \(error.message)"
            throw error
        }
    }

    private func bytes(of file: Descriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = try attempt("read") { read(file.number, &buffer, buffer.count) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= Self.sizeLimit else { throw unusable("is no file of a credential") }
        }
    }

    private func unusable(_ what: String, isUnreadableRecord: Bool = true) -> StoreError {
        StoreError(
            "the credential store \(path) \(what); log in to replace it, or delete it",
            isUnreadableRecord: isUnreadableRecord)
    }
}

extension CredentialFile {
    /// Records where the credential is.
    func remember(_ record: StoredCredential) {
        let place = record.credential == nil ? nil : deviceOfDirectory
        device.withLock { $0 = place }
    }

    /// Throws if the credential is missing because its directory was moved or its volume was unmounted. That is no logout, and a
    /// new directory would hide the old one.
    func checkReach() throws {
        var file = stat()
        guard let device = device.withLock({ $0 }), stat(path, &file) != 0, deviceOfDirectory != device else { return }
        throw StoreError(
            "the credential store \(path) is out of reach, because \(followingLinks.directory) is gone or unmounted;"
                + " bring it back, or make the directory anew")
    }

    private var deviceOfDirectory: dev_t? {
        var place = stat()
        return stat(followingLinks.directory, &place) == 0 ? place.st_dev : nil
    }
}

extension CredentialFile {
    /// The file that the links lead to, so that all names of the file share one lock and one record.
    var followingLinks: CredentialFile {
        var file = self
        file.path = FileStore.followingLinks(in: path)
        return file
    }
}

extension CredentialFile {
    /// Performs a system call, repeats it if a signal interrupts it, and returns its result.
    @discardableResult
    func attempt<Number: SignedInteger>(_ action: String, _ call: () -> Number) throws -> Number {
        while true {
            let number = call()
            if number >= 0 { return number }
            if errno != EINTR { throw failure(action) }
        }
    }

    /// Returns the error of the last failed call.
    func failure(_ action: String) -> StoreError {
        let code = errno
        let advice = [ENOSPC, EDQUOT].contains(code) ? "make room on its disk" : "check its directory and permissions"
        return StoreError("can't \(action) the credential store \(path): \(String(cString: strerror(code))); \(advice)")
    }
}

/// An open file. It is closed when its last reference is released.
final class Descriptor: Sendable {
    let number: Int32
    private let onClosed: (@Sendable () -> Void)?

    /// Opens the file at `path`.
    ///
    /// - Returns: `nil` with `errno` set if it cannot be opened.
    init?(opening path: String, _ flags: Int32, onClosed: (@Sendable () -> Void)? = nil) {
        var number: Int32
        repeat { number = open(path, flags | O_CLOEXEC, 0o600) } while number < 0 && errno == EINTR
        guard number >= 0 else { return nil }
        self.number = number
        self.onClosed = onClosed
    }

    deinit {
        close(number)
        onClosed?()
    }
}
