import FreshetCore
import FreshetHTTP

/// The entries of a recording by their requests.
final class RecordedResponses: Sendable {
    private struct Key: Hashable {
        let method: String
        let url: String
        let body: String

        init(_ entry: HAREntry) {
            (method, url, body) = (entry.request.method, entry.request.url, entry.request.postData?.text ?? "")
        }

        init(_ request: RecordedRequest) {
            (method, url, body) = (request.method, request.url, request.body)
        }
    }

    private let entries: [HAREntry]
    private let left: Locked<[Key: [HAREntry]]>

    init(_ entries: [HAREntry]) {
        self.entries = entries
        left = Locked(Dictionary(grouping: entries, by: Key.init))
    }

    /// The next response to a request. The last one is repeated.
    func next(_ request: RecordedRequest) -> HAREntry? {
        left.withLock { left in
            guard var entries = left[Key(request)], let first = entries.first else { return nil }
            if entries.count > 1 {
                entries.removeFirst()
                left[Key(request)] = entries
            }
            return first
        }
    }

    /// The error for a request that is not in the recording. It names the nearest entry.
    func failure(_ wanted: RecordedRequest, _ request: Request) -> HTTPClientError {
        let nearest = entries.max { Self.likeness($0, wanted) < Self.likeness($1, wanted) }
        let hint = nearest.map {
            "the nearest entry is \($0.request.method) \(Self.shown($0.request.url)), \(Self.difference($0, wanted))"
        }
        return HTTPClientError(
            .notRecorded, phase: .preparing, origin: request.url.origin.description,
            message: "the recording has no \(wanted.method) \(Self.shown(wanted.url)): \(hint ?? "it is empty")",
            recoverySuggestion: "record again, or record the missing requests too", isUnsent: true)
    }

    private static func shown(_ url: String) -> String { (try? RequestURL(url))?.redacted ?? url }

    /// The similarity of two requests: the length of the common beginning of their URLs counts most, then the method,
    /// then the body.
    private static func likeness(_ entry: HAREntry, _ wanted: RecordedRequest) -> Int {
        let common = zip(entry.request.url.utf8, wanted.url.utf8).prefix { $0 == $1 }.count
        return common * 4 + (entry.request.method == wanted.method ? 2 : 0)
            + (entry.request.postData?.text ?? "" == wanted.body ? 1 : 0)
    }

    private static func difference(_ entry: HAREntry, _ wanted: RecordedRequest) -> String {
        var parts: [String] = []
        if entry.request.method != wanted.method { parts.append("method") }
        let urls = [entry.request.url, wanted.url].map { $0.split(separator: "?", maxSplits: 1) }
        if urls[0].first != urls[1].first {
            parts.append("path")
        } else if urls[0].dropFirst().first != urls[1].dropFirst().first {
            parts.append("query")
        }
        if entry.request.postData?.text ?? "" != wanted.body { parts.append("body") }
        return "which differs in \(parts.joined(separator: " and "))"
    }
}
