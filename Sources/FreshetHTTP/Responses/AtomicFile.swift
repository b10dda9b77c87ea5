import Glibc

/// A file that takes the place of another one, or a new place, when it is complete, so that no program reads a part of it.
///
/// It is written beside its place, and has the owner, the group and the mode of the file that it replaces, as far as the process
/// may give them. A symbolic link stays: the file that it leads to is replaced. All calls can block.
///
///     let file = try AtomicFile(replacing: "report.html")
///     defer { file.discard() }
///     try write(page, to: file.descriptor)
///     try file.commit()
public struct AtomicFile: Sendable {
    /// The descriptor of the temporary file, for writing. The process does not pass it on to programs that it starts.
    public let descriptor: Int32
    /// The path of the file that is replaced.
    let target: String
    /// The path of the temporary file.
    let path: String
    private let named: String

    /// Creates the temporary file.
    ///
    /// - Parameter path: the path of the file to replace. There may be no such file yet.
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` if the file can't be created, or if there is a folder, a pipe or a
    ///   device, or `overloaded` if there is no room or too many files are open.
    public init(replacing path: String) throws {
        try Self.check(path)
        named = path
        target = Self.target(of: path)
        var replaced = stat()
        let isThere = stat(target, &replaced) == 0
        guard !isThere || replaced.st_mode & S_IFMT == S_IFREG else {
            let code = replaced.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            throw HTTPClientError.file(named, "replaced", code, begun: false)
        }
        self.path = Self.temporaryPath(beside: target)
        var descriptor: Int32
        repeat {
            descriptor = open(self.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw HTTPClientError.file(named, "written", begun: false) }
        self.descriptor = descriptor
        if isThere { replaced.preserve(on: descriptor) }
    }

    /// Moves the file into its place. The descriptor stays open.
    ///
    /// - Throws: ``HTTPClientError`` with code `cancelled` if the file can't be moved, or `overloaded` if there is no room.
    public func commit() throws {
        guard rename(path, target) == 0 else { throw HTTPClientError.file(named, "put in its place") }
    }

    /// Closes the descriptor, and removes the file if it has not been moved. It is called once.
    public func discard() {
        close(descriptor)
        unlink(path)
    }

    /// Checks that a path can name a file. The system would take a NUL for the end of the path, and write another file.
    static func check(_ path: String) throws {
        guard !path.isEmpty else { throw HTTPClientError.file(path, "written", ENOENT, begun: false) }
        guard !path.utf8.contains(0) else { throw HTTPClientError.file(path, "written", EINVAL, begun: false) }
    }

    /// The path that the links of `path` lead to. Its file may not exist yet.
    static func target(of path: String) -> String {
        var path = path
        // The system follows as many links.
        for _ in 0..<40 {
            if let real = realpath(path, nil) {
                defer { free(real) }
                return String(cString: real)
            }
            guard errno == ENOENT else { return path }
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
            guard count > 0 else { return path }
            let link = String(decoding: buffer[..<count], as: UTF8.self)
            path = link.hasPrefix("/") ? link : (path.lastIndex(of: "/").map { path[...$0] } ?? "") + link
        }
        return path
    }

    /// Returns the path of a file beside that at `path`. It is random, because a number of the process would be the same in each
    /// container, whose parts can share a folder. A long name is shortened, but not one that is too long for a file itself.
    private static func temporaryPath(beside path: String) -> String {
        // In bytes, on the usual file systems.
        let longest = 255
        let suffix = ".\(String(UInt32.random(in: 0 ... .max), radix: 36)).part"
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        guard name.utf8.count <= longest else { return path + suffix }
        while name.utf8.count + suffix.utf8.count > longest { name.removeLast() }
        return path[..<start] + name + suffix
    }
}
