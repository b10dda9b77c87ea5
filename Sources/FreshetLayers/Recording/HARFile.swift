import FoundationEssentials
import FreshetCore
import FreshetHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A HAR file that is complete after each entry: one write replaces the end of the document with the entry and a new end.
final class HARFile: Sendable {
    private struct State: Sendable {
        var end: Int64
        var isEmpty: Bool
        var hasFailed = false
    }

    private static let head =
        #"{"log":{"version":"1.2","creator":{"name":"freshet","version":"\#(HTTPClient.version)"},"entries":["#
    private static let tail = Array("\n]}}\n".utf8)
    private let file: File
    private let failed: @Sendable (String) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - existing: the document that the file has and that is added to; `nil` replaces what the file has.
    ///   - failed: called once, with a message, when nothing can be recorded any more.
    /// - Throws: `HTTPClientError` with code `store` if the file can't be written.
    init(_ path: String, adding existing: HARDocument.Stored? = nil, failed: @escaping @Sendable (String) -> Void)
        throws
    {
        self.failed = failed
        // A document of Freshet's own is not written again, so that a kill at this moment loses nothing.
        let kept = existing.flatMap { $0.data.suffix(Self.tail.count).elementsEqual(Self.tail) ? $0 : nil }
        let length = kept.map { $0.data.count - Self.tail.count } ?? Self.head.utf8.count
        state = Locked(State(end: Int64(length), isEmpty: kept?.entries.isEmpty ?? true))
        do throws(FileFailure) {
            file = try File(opening: path, O_RDWR | O_CREAT | (kept == nil ? O_TRUNC : 0))
            fchmod(file.descriptor, 0o600)
            if kept == nil { try file.write(Array(Self.head.utf8) + Self.tail) }
        } catch {
            throw HTTPClientError(
                .store, phase: .preparing, message: "the recording \(path) can't be written: \(error.reason)",
                recoverySuggestion: "choose another file, or check its permissions and the space on its disk",
                isUnsent: true)
        }
        if kept == nil { existing?.entries.forEach(append) }
    }

    func append(_ entry: HAREntry) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(entry) else { return }
        let failure = state.withLock { state -> FileFailure? in
            guard !state.hasFailed else { return nil }
            let bytes = Array((state.isEmpty ? "\n" : ",\n").utf8) + json
            do throws(FileFailure) {
                lseek(file.descriptor, off_t(state.end), SEEK_SET)
                try file.write(bytes + Self.tail)
            } catch {
                // The file ends as it did before, or it could not be read any more.
                ftruncate(file.descriptor, off_t(state.end))
                lseek(file.descriptor, off_t(state.end), SEEK_SET)
                try? file.write(Self.tail)
                state.hasFailed = true
                return error
            }
            state.end += Int64(bytes.count)
            state.isEmpty = false
            return nil
        }
        if let failure { failed("nothing is recorded any more: \(failure.reason)") }
    }
}

extension HARDocument {
    /// A document, and the bytes that it was read from.
    struct Stored: Sendable {
        let data: Data
        let entries: [HAREntry]
    }

    /// Reads a file.
    ///
    /// - Returns: `nil` if the file is optional and does not exist.
    /// - Throws: `HTTPClientError` with code `store` for a file that can't be read, or is not HAR.
    static func stored(at path: String, isOptional: Bool) throws -> Stored? {
        if isOptional, !FileManager.default.fileExists(atPath: path) { return nil }
        func failure(_ message: String, _ error: any Error) -> HTTPClientError {
            HTTPClientError(
                .store, phase: .preparing, message: message,
                recoverySuggestion: "name another file, or record it first",
                underlying: error, isUnsent: true)
        }
        let data: Data
        do throws(FileFailure) {
            data = Data(try File.content(of: path, limit: .max))
        } catch {
            throw failure("the recording \(path) can't be read: \(error.reason)", error)
        }
        do {
            return Stored(data: data, entries: try JSONDecoder().decode(HARDocument.self, from: data).log.entries)
        } catch {
            throw failure("\(path) is no recording in the HAR format", error)
        }
    }
}
