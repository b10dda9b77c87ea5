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
    }

    private static let tail = Array("\n]}}\n".utf8)
    private let file: File
    private let state: Locked<State>

    /// - Parameter entries: the first entries of the file.
    /// - Throws: `HTTPClientError` with code `store` if the file can't be written.
    init(_ path: String, entries: [HAREntry] = []) throws {
        do throws(FileFailure) {
            file = try File(opening: path, O_RDWR | O_CREAT | O_TRUNC)
        } catch {
            throw HTTPClientError(
                .store, phase: .preparing, message: "the recording can't be written: \(error)",
                recoverySuggestion: "choose another file, or check its permissions", isUnsent: true)
        }
        fchmod(file.descriptor, 0o600)
        let head = Array(#"{"log":{"version":"1.2","creator":{"name":"freshet","version":"0.2.0"},"entries":["#.utf8)
        state = Locked(State(end: Int64(head.count), isEmpty: true))
        write(head + Self.tail, at: 0)
        for entry in entries { append(entry) }
    }

    func append(_ entry: HAREntry) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(entry) else { return }
        state.withLock { state in
            let bytes = Array((state.isEmpty ? "\n" : ",\n").utf8) + json
            write(bytes + Self.tail, at: state.end)
            state.end += Int64(bytes.count)
            state.isEmpty = false
        }
    }

    private func write(_ bytes: [UInt8], at offset: Int64) {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = pwrite(
                    file.descriptor, buffer.baseAddress! + written, buffer.count - written,
                    off_t(offset) + off_t(written))
                if count <= 0 { return }
                written += count
            }
        }
    }
}
