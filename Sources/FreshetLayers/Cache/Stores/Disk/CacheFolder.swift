import FreshetCrypto
import FreshetHTTP
import Glibc

/// The folder of a disk cache, which several processes can share.
///
/// ```
/// FOLDER/key                       32 random bytes
/// FOLDER/size                      how many bytes all files have, or more
/// FOLDER/new/…                     files that are being written
/// FOLDER/URL/OWNER.ID.head         the head of a response
/// FOLDER/URL/ID.body               its decoded body
/// ```
///
/// `URL` and `OWNER` are hashes under the folder's key. A file gets its name when it is complete, so a process can be killed at
/// any time. Calls block.
struct CacheFolder: Sendable {
    /// In seconds. Unfinished files of this age belong to a process that was killed.
    private static let abandonedAfter = 3600.0
    /// What file systems round up to, in bytes.
    private static let block = 4096

    let path: String
    let key: [UInt8]

    /// Makes the folder if it does not exist.
    ///
    /// - Throws: ``FileFailure`` if the folder can't be made, read or written, or belongs to something else.
    init(_ path: String) throws(FileFailure) {
        self.path = path
        try CacheFolderMarks.check(path)
        try File.makeFolder(path + "/new")
        key = try Self.key(in: path)
    }

    /// Whether the folder still has this key.
    var hasItsKey: Bool { (try? File.content(of: Self.keyFile(in: path), limit: 64)) == key }

    private static func keyFile(in path: String) -> String { "\(path)/key" }

    private static func key(in path: String) throws(FileFailure) -> [UInt8] {
        let name = keyFile(in: path)
        if let key = try storedKey(name) { return key }
        let fresh = "\(path)/new/\(CacheFolderMarks.newName())"
        let key = SecureRandom.bytes(32)
        defer { unlink(fresh) }
        do {
            try File(opening: fresh, O_WRONLY | O_CREAT | O_EXCL).write(key)
        } catch {
            // On a full disk nothing can be stored, and the first attempt to do so says that.
            guard error.isOfFullDisk else { throw error }
            return key
        }
        // Of several processes that come at once, one makes the key.
        guard link(fresh, name) == 0 || errno == EEXIST else { throw FileFailure(name) }
        return try storedKey(name) ?? key
    }

    /// Reads the key; `nil` if there is none.
    private static func storedKey(_ name: String) throws(FileFailure) -> [UInt8]? {
        let file: File
        do {
            file = try File(opening: name, O_RDONLY)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        let key = try file.content(limit: 64)
        if key.isEmpty {
            // A crash of the machine can leave an empty file.
            unlink(name)
            return nil
        }
        // Another key is replaced by nobody: it may belong to something else.
        guard key.count == CacheFolderMarks.keyLength else {
            throw FileFailure(name, code: nil, mismatch: "it is no key of a cache")
        }
        file.makePrivate()
        return key
    }

    func checkIsWritable() throws(FileFailure) {
        do {
            unlink(try newFile().path)
        } catch {
            guard error.isOfFullDisk else { throw error }
        }
    }

    // MARK: Names

    func code(_ text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let code = MessageAuthentication.hmacSHA256(text.utf8, with: key).prefix(CacheFolderMarks.codeLength / 2)
        return String(decoding: code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    func fingerprint(of value: String) -> String { code("value \(value)") }

    func folder(of url: RequestURL) -> String { "\(path)/\(code("url \(url.absoluteString)"))" }

    func owner(_ owner: PartitionKey) -> String {
        switch owner {
        case .nobody: "nobody"
        case .login(let id, let fields):
            String(code((["login \(id)"] + fields).joined(separator: "\n")).prefix(24))
        case .fields(let fields): String(code("fields \(fields.joined(separator: "\n"))").prefix(24))
        }
    }

    func newFile() throws(FileFailure) -> (file: File, path: String) {
        let path = "\(path)/new/\(CacheFolderMarks.newName())"
        return (try file(path, O_RDWR | O_CREAT | O_EXCL), path)
    }

    /// Opens the file with the size of all files, and makes it if it is not there.
    func sizeFile() throws(FileFailure) -> File {
        let file = try file("\(path)/size", O_RDWR | O_CREAT)
        file.makePrivate()
        return file
    }

    /// Makes the folder again if somebody has removed it.
    private func file(_ path: String, _ flags: Int32) throws(FileFailure) -> File {
        do {
            return try File(opening: path, flags)
        } catch {
            guard error.isMissing else { throw error }
            try File.makeFolder(self.path + "/new")
            return try File(opening: path, flags)
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

    private struct Stored {
        let folder: String
        var paths: [String] = []
        var size = 0
        var time = 0.0
    }

    /// Removes what was abandoned, and the least recently used responses until all files and folders have at most `size` bytes.
    ///
    /// - Returns: how many bytes they have now.
    @discardableResult
    func shrink(to size: Int, at now: Double) -> Int {
        // The key, the size, and two folders.
        var total = 4 * Self.block
        for name in File.names(in: "\(path)/new") where CacheFolderMarks.isNewFile(name) {
            guard let file = Self.measure("\(path)/new/\(name)") else { continue }
            if now - file.time > Self.abandonedAfter {
                unlink("\(path)/new/\(name)")
            } else {
                // It is to get a folder and a head.
                total += file.size + 2 * Self.block
            }
        }
        let all = File.names(in: path).filter(CacheFolderMarks.isCode).flatMap {
            stored(in: "\(path)/\($0)", at: now)
        }
        total += all.reduce(0) { $0 + $1.size }
        for response in all.sorted(by: { $0.time < $1.time }) where total > size {
            response.paths.forEach { unlink($0) }
            // Only an empty one goes.
            rmdir(response.folder)
            total -= response.size
        }
        return total
    }

    /// The responses in the folder of a URL. A body without a head is one too, until it is old: another process is writing it.
    private func stored(in folder: String, at now: Double) -> [Stored] {
        var byID: [Substring: Stored] = [:]
        for name in File.names(in: folder) where name.hasSuffix(".head") || name.hasSuffix(".body") {
            guard let file = Self.measure("\(folder)/\(name)") else { continue }
            var stored = byID[Self.id(name)] ?? Stored(folder: folder, size: Self.block)
            stored.paths.append("\(folder)/\(name)")
            stored.size += file.size
            // The head of a response is marked as used.
            stored.time = max(stored.time, file.time)
            byID[Self.id(name)] = stored
        }
        for (id, stored) in byID where now - stored.time > Self.abandonedAfter {
            guard stored.paths.allSatisfy({ $0.hasSuffix(".body") }) else { continue }
            stored.paths.forEach { unlink($0) }
            byID[id] = nil
        }
        if byID.isEmpty { rmdir(folder) }
        return Array(byID.values)
    }

    private static func measure(_ path: String) -> (size: Int, time: Double)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let time = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        return ((Int(status.st_size) + block - 1) / block * block, time)
    }

    /// The part of a file's name that both files of a response have.
    static func id(_ path: String) -> Substring {
        let name = path.split(separator: "/").last ?? ""
        let stem = name.dropLast(5)
        return stem.split(separator: ".").last ?? stem
    }
}
