import FoundationEssentials
import FreshetCore
import FreshetHTTP
import Glibc

/// A HAR file that is complete after each entry: one write replaces the end of the document with the entry and a new end. A kill
/// within a long write costs the entry that was being written.
///
/// Several processes can add to a file. Each takes a lock of it, and finds the end of the document anew.
final class HARFile: Sendable {
    private static let beginning = #"{"log":{"version":"1.2","creator":{"name":"freshet","version":""#
    private static let head = beginning + #"\#(HTTPClient.version)"},"entries":["#
    private static let tail = Array("\n]}}\n".utf8)
    /// The entries that the file had when it was opened.
    let entries: [HAREntry]
    private let file: File
    private let failed: @Sendable (String) -> Void
    private let hasFailed = Locked(false)

    /// - Parameters:
    ///   - keepsEntries: whether entries are added to those that the file has.
    ///   - failed: called once, with a message, when nothing can be recorded any more.
    /// - Throws: `HTTPClientError` with code `store` if the file can't be written, or is not HAR.
    init(_ path: String, keepsEntries: Bool, failed: @escaping @Sendable (String) -> Void) throws {
        self.failed = failed
        do {
            let file = try File(opening: path, O_RDWR | O_CREAT, followsLinks: true)
            self.file = file
            try file.lock()
            defer { file.unlock() }
            if !keepsEntries { try Self.checkReplaceable(file, at: path) }
            file.makePrivate()
            let (existing, endsAsWritten) = keepsEntries ? try Self.document(in: file, at: path) : (nil, false)
            entries = existing?.log.entries ?? []
            // A document of Freshet's own is not written again, so that a kill at this moment loses nothing.
            guard !endsAsWritten else { return }
            file.truncate(to: 0)
            try file.write(Array(Self.head.utf8) + Self.tail)
            for json in entries.compactMap(Self.json) { try add(json) }
        } catch let failure as FileFailure {
            throw HTTPClientError(
                .store, phase: .preparing, message: "the recording \(path) can't be written: \(failure.reason)",
                recoverySuggestion: "choose another file, or check its permissions and the space on its disk",
                isUnsent: true)
        }
    }

    /// The document, if the file has one, and whether entries can be added to it as it is.
    private static func document(
        in file: File, at path: String
    ) throws -> (document: HARDocument?, endsAsWritten: Bool) {
        let data = Data(try file.content(limit: .max))
        guard !data.isEmpty else { return (nil, false) }
        var whole = data
        let document = try HARDocument(repairing: &whole, from: path)
        if whole != data {
            let end = whole.count - tail.count
            file.truncate(to: end)
            file.seek(to: end)
            try file.write(tail)
        }
        return (document, whole.suffix(tail.count).elementsEqual(tail))
    }

    /// What a recording that was cut may have been before, the longest first. Each entry is a line, and the cut can have left a part
    /// of the end of the document behind it.
    fileprivate static func wholes(of data: Data) -> [Data] {
        guard data.starts(with: beginning.utf8), !data.suffix(tail.count).elementsEqual(tail) else { return [] }
        let comma = Array(",".utf8) + tail.dropFirst()
        if data.suffix(comma.count).elementsEqual(comma) { return [data.dropLast(comma.count) + tail] }
        return data.indices.filter { data[$0] == UInt8(ascii: "\n") }.suffix(3).reversed().map { end in
            let whole = data[..<end]
            return (whole.last == UInt8(ascii: ",") ? whole.dropLast() : whole) + tail
        }
    }

    /// Refuses to replace a file that Freshet has not recorded, because it was probably named by mistake.
    private static func checkReplaceable(_ file: File, at path: String) throws {
        let beginning = try file.read(Self.beginning.utf8.count, at: 0)
        // A recording of Freshet's own is not read, because it can be large, or cut by a crash of the machine. Neither is a file
        // that is no JSON object.
        let first = beginning.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        let mayBeObject = first == nil || first == UInt8(ascii: "{")
        guard
            beginning.elementsEqual(Self.beginning.utf8)
                || (mayBeObject && isOwnOrEmpty(file, at: path))
        else {
            throw HTTPClientError(
                .store, phase: .preparing, message: "\(path) is no recording by Freshet, and would be replaced by one",
                recoverySuggestion: "name another file, or remove it first", isUnsent: true)
        }
    }

    private static func isOwnOrEmpty(_ file: File, at path: String) -> Bool {
        guard let (document, _) = try? document(in: file, at: path) else { return false }
        return document.map { $0.log.creator.name == "freshet" } ?? true
    }

    private static func json(_ entry: HAREntry) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(entry)
    }

    func append(_ entry: HAREntry) {
        guard let json = Self.json(entry) else { return }
        let failure = hasFailed.withLock { hasFailed -> FileFailure? in
            guard !hasFailed else { return nil }
            do throws(FileFailure) {
                try file.lock()
                defer { file.unlock() }
                try add(json)
                return nil
            } catch {
                hasFailed = true
                return error
            }
        }
        if let failure { failed("nothing is recorded any more: \(failure.reason)") }
    }

    /// Adds an entry before the end of the document. The caller holds the lock of the file.
    private func add(_ json: Data) throws(FileFailure) {
        let end = file.size - Self.tail.count
        let separator = try file.read(1, at: end - 1) == Array("[".utf8) ? "\n" : ",\n"
        do throws(FileFailure) {
            file.seek(to: end)
            try file.write(Array(separator.utf8) + json + Self.tail)
        } catch {
            // The file ends as it did before, or it could not be read any more.
            file.truncate(to: end)
            file.seek(to: end)
            try? file.write(Self.tail)
            throw error
        }
    }
}

extension HARDocument {
    /// Reads a file.
    ///
    /// - Throws: `HTTPClientError` with code `store` for a file that can't be read, or is not HAR.
    init(at path: String) throws {
        var data: Data
        do throws(FileFailure) {
            let file = try File(opening: path, O_RDONLY, followsLinks: true)
            // Another process may add an entry at this moment. Where files have no locks, no other process writes either.
            try? file.lock(LOCK_SH)
            data = Data(try file.content(limit: .max))
        } catch {
            throw Self.failure("the recording \(path) can't be read: \(error.reason)", error)
        }
        try self.init(repairing: &data, from: path)
    }

    /// Reads `data`. If it was cut, it is replaced by what is whole of it.
    fileprivate init(repairing data: inout Data, from path: String) throws {
        do {
            try self.init(data, from: path)
        } catch {
            for whole in HARFile.wholes(of: data) {
                guard let document = try? Self(whole, from: path) else { continue }
                (self, data) = (document, whole)
                return
            }
            throw error
        }
    }

    private init(_ data: Data, from path: String) throws {
        do {
            self = try JSONDecoder().decode(HARDocument.self, from: data)
        } catch {
            let member = (error as? DecodingError).flatMap(Self.member).map { ": \($0)" } ?? ""
            throw Self.failure("\(path) is no recording in the HAR format\(member)", error)
        }
        // 0 stands for a request that failed.
        let statuses = log.entries.lazy.map(\.response).flatMap { [$0.status] + ($0.interim ?? []).map(\.status) }
        if let status = statuses.first(where: { $0 != 0 && !(100...999).contains($0) }) {
            throw Self.failure("\(path) is no recording in the HAR format: it has the status \(status)")
        }
        if let index = log.entries.firstIndex(where: { $0.decodedBody == nil }) {
            throw Self.failure(
                "\(path) is no recording in the HAR format: log.entries[\(index)].response.content.text is no Base64")
        }
    }

    /// The member that is missing or wrong, as in `log.entries[2].request.url is missing`.
    private static func member(in error: DecodingError) -> String? {
        let (path, fault): ([any CodingKey], String)
        switch error {
        case .keyNotFound(let key, let context): (path, fault) = (context.codingPath + [key], "is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            (path, fault) = (context.codingPath, "has another type")
        default: return nil
        }
        let name = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined().dropFirst()
        return name.isEmpty ? nil : "\(name) \(fault)"
    }

    private static func failure(_ message: String, _ error: (any Error)? = nil) -> HTTPClientError {
        HTTPClientError(
            .store, phase: .preparing, message: message,
            recoverySuggestion: "name another file, or record it first", underlying: error, isUnsent: true)
    }
}
