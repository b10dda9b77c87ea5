import FreshetCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder of a disk cache, which several processes can share.
///
/// ```
/// FOLDER/key                       32 random bytes
/// FOLDER/new/…                     files that are being written
/// FOLDER/xx/URL/OWNER.ID.head      the head of a response, and the digest of its body
/// FOLDER/xx/URL/ID.body            its decoded body
/// ```
///
/// `URL` and `OWNER` are hashes under the folder's key. A file gets its name when it is complete, so a process can be killed at
/// any time. Calls block.
struct CacheFolder: Sendable {
    /// In seconds. Unfinished files of this age belong to a process that was killed.
    private static let abandonedAfter = 3600.0

    let path: String
    let key: [UInt8]

    /// Makes the folder if it does not exist.
    ///
    /// - Throws: ``FileFailure`` if the folder can't be made, read or written.
    init(_ path: String) throws(FileFailure) {
        self.path = path
        try File.makeFolder(path + "/new")
        key = try Self.key(in: path)
    }

    private static func key(in path: String) throws(FileFailure) -> [UInt8] {
        let name = "\(path)/key"
        if let key = try? File.content(of: name, limit: 64), key.count == 32 { return key }
        let fresh = "\(path)/new/\(SecureRandom.text(12))"
        let file = try File(opening: fresh, O_WRONLY | O_CREAT | O_EXCL)
        try file.write(SecureRandom.bytes(32))
        defer { unlink(fresh) }
        // If several processes start at once, one of them makes the key.
        guard link(fresh, name) == 0 || errno == EEXIST else { throw FileFailure(name) }
        let key = try File.content(of: name, limit: 64)
        guard key.count == 32 else { throw FileFailure("\(name) is damaged; remove the folder", code: EINVAL) }
        return key
    }

    // MARK: Names

    func code(_ text: String) -> String {
        MessageAuthentication.hmacSHA256(text.utf8, with: key).prefix(20).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    func folder(of url: String) -> String {
        let code = code("url \(url)")
        return "\(path)/\(code.prefix(2))/\(code)"
    }

    func owner(_ owner: RequestOwner) -> String {
        switch owner {
        case .nobody: "nobody"
        case .login(let id): String(code("login \(id)").prefix(24))
        case .authorization(let value): String(code("authorization \(value)").prefix(24))
        }
    }

    func newFile() throws(FileFailure) -> (file: File, path: String) {
        let path = "\(path)/new/\(SecureRandom.text(12))"
        do {
            return (try File(opening: path, O_RDWR | O_CREAT | O_EXCL), path)
        } catch {
            guard error.isMissing else { throw error }
            try File.makeFolder(self.path + "/new")
            return (try File(opening: path, O_RDWR | O_CREAT | O_EXCL), path)
        }
    }

    /// Gives a complete file its name. The folder may have been removed in the meantime.
    func move(_ path: String, to target: String, in folder: String) throws(FileFailure) {
        // Another process may remove the folder again, as long as it is empty.
        for _ in 0..<10 {
            if rename(path, "\(folder)/\(target)") == 0 { return }
            let code = errno
            guard code == ENOENT else { throw FileFailure("\(folder)/\(target)", code: code) }
            try File.makeFolder(folder)
        }
        throw FileFailure("\(folder)/\(target)", code: ENOENT)
    }

    // MARK: Size

    /// Removes abandoned files, and the least recently used responses until their files have at most `size` bytes.
    func shrink(to size: Int, over limit: Int, at now: Double) {
        var files: [(path: String, size: Int, time: Double)] = []
        func add(_ path: String) -> Bool {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
            let time = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
            files.append((path, Int(status.st_blocks) * 512, time))
            return true
        }
        for name in File.names(in: "\(path)/new") {
            if add("\(path)/new/\(name)"), let last = files.popLast(), now - last.time > Self.abandonedAfter {
                unlink(last.path)
            }
        }
        var total = 0
        var entries: [(paths: [String], size: Int, time: Double)] = []
        for prefix in File.names(in: path) where prefix.utf8.count == 2 {
            for url in File.names(in: "\(path)/\(prefix)") {
                let folder = "\(path)/\(prefix)/\(url)"
                for name in File.names(in: folder) where name.hasSuffix(".head") || name.hasSuffix(".body") {
                    _ = add("\(folder)/\(name)")
                }
                let byID = Dictionary(grouping: files) { Self.id($0.path) }
                files = []
                for parts in byID.values {
                    let size = parts.reduce(0) { $0 + $1.size }
                    // The time of the head is the time of last use. The body has the same.
                    let heads = parts.filter { $0.path.hasSuffix(".head") }
                    let time = (heads.isEmpty ? parts : heads).map(\.time).max() ?? 0
                    if heads.isEmpty, now - time > Self.abandonedAfter {
                        parts.forEach { unlink($0.path) }
                        continue
                    }
                    entries.append((parts.map(\.path), size, time))
                    total += size
                }
                // This removes only an empty folder.
                rmdir(folder)
            }
        }
        guard total > limit else { return }
        for entry in entries.sorted(by: { $0.time < $1.time }) where total > size {
            entry.paths.forEach { unlink($0) }
            total -= entry.size
        }
    }

    /// The part of a file's name that both files of a response have.
    static func id(_ path: String) -> Substring {
        let name = path.split(separator: "/").last ?? ""
        let stem = name.dropLast(5)
        return stem.split(separator: ".").last ?? stem
    }
}
