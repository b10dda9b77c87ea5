import ArgumentParser
import Foundation
import Freshet

/// The destination of the response: standard output, or a file, which appears at its path only when it is complete.
final class OutputFile: Sendable {
    let descriptor: Int32
    /// `nil` for standard output, a device or a pipe.
    private let file: AtomicFile?

    /// - Parameter path: `nil` or `-` for standard output. A device, a pipe or an open descriptor is written directly.
    init(_ path: String?) throws {
        let path = path ?? "-"
        if let open = Self.openDescriptor(path) {
            (descriptor, file) = (open, nil)
        } else if Self.isSpecial(path) {
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let error = SystemError()
                throw HTTPClientError.refusal(
                    "the file \(path) can't be written: \(error)",
                    error.code == EISDIR ? "name a file in it" : "name another")
            }
            file = nil
        } else {
            let file = try AtomicFile(replacing: path)
            (descriptor, self.file) = (file.descriptor, file)
        }
    }

    var isFile: Bool { file != nil }

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
    func keep() throws { try file?.commit() }

    /// Removes a file that was not kept.
    func discard() { file?.discard() }
}
