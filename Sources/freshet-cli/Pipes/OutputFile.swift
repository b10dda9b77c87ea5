import ArgumentParser
import Foundation
import Freshet

/// The destination of the response: standard output, or a file. The file appears at its path only when it is complete, so that
/// no program reads a part of it.
final class OutputFile: Sendable {
    let descriptor: Int32
    private let path: String
    /// The temporary file, beside the final one; `nil` for standard output, a device or a pipe.
    private let unfinished: String?

    /// - Parameter path: `nil` or `-` for standard output. A device, a pipe or an open descriptor is written directly.
    init(_ path: String?) throws {
        let path = path ?? "-"
        if let open = Self.openDescriptor(path) {
            (descriptor, self.path, unfinished) = (open, path, nil)
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        let isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
        // A link stays, also one whose file is not there yet.
        self.path = FileStore.followingLinks(in: path)
        if isSpecial {
            unfinished = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let unfinished = Self.temporaryPath(beside: self.path)
            self.unfinished = unfinished
            descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else {
            let error = SystemError()
            throw HTTPClientError.refusal(
                "the file \(path) can't be written: \(error)",
                error.code == EISDIR ? "name a file in it" : "name another")
        }
        if exists, !isSpecial { status.preserve(on: descriptor) }
    }

    var isFile: Bool { unfinished != nil }

    /// Whether `path` is a device or a pipe, or means a descriptor that is open.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return openDescriptor(path) != nil || (stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
    }

    /// The descriptor that a path names. A file behind it is not replaced, because the shell writes to it too.
    private static func openDescriptor(_ path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": STDOUT_FILENO
        case "/dev/stderr": STDERR_FILENO
        case _ where path.hasPrefix("/dev/fd/"): Int32(path.dropFirst("/dev/fd/".count))
        default: nil
        }
    }

    /// The path of the temporary file. It has no number of the process, which can be the same for each run in a container. A name of
    /// up to 255 bytes, which is the most on the usual file systems, is shortened for the rest.
    private static func temporaryPath(beside path: String) -> String {
        let suffix = ".\(String(UInt32.random(in: .min ... .max), radix: 36)).part"
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        guard name.utf8.count <= 255 else { return path + suffix }
        while name.utf8.count + suffix.utf8.count > 255 { name.removeLast() }
        return path[..<start] + name + suffix
    }

    /// The name of the file for `-O`: the last segment of the path as it is written, so that it never leads to another folder.
    ///
    /// - Parameter url: the URL that `address` stands for. Its path ends in a slash where the address ends in its host or a folder.
    static func name(from url: RequestURL, writtenAs address: String) throws -> String {
        // Searched by bytes: a mark that combines with a slash hides it from a comparison of characters.
        let segments = address.utf8.prefix { !"?#".utf8.contains($0) }
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let name = segments.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard !url.path.hasSuffix("/"), !["", ".", ".."].contains(name) else {
            throw ValidationError("the path of the address names no file; name one with -o FILE")
        }
        return name
    }

    /// Writes all of `bytes`, and puts the file at its path. As for ``printResult(_:)``, a closed output is no failure.
    func write(_ bytes: [UInt8]) throws {
        try writeResult(bytes, to: descriptor)
        try keep()
    }

    /// Puts the complete file at its path.
    func keep() throws {
        guard let unfinished, rename(unfinished, path) != 0 else { return }
        throw outputFailure(SystemError())
    }

    /// Removes a file that was not kept.
    func discard() {
        guard let unfinished else { return }
        close(descriptor)
        unlink(unfinished)
    }
}
