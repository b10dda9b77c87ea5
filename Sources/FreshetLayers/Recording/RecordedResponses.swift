import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The entries of a recording by their requests.
final class RecordedResponses: Sendable {
    private struct Key: Hashable {
        let method: String
        let url: String
        /// `nil` for a body that the recording does not know.
        let body: String?

        /// Masks the secrets of an entry of another program, which the request hides too. Its URL may differ in its form from that
        /// of the request.
        init(_ entry: HAREntry, masking secrets: FurtherSecrets) {
            let post = entry.request.postData
            let text = post.flatMap { $0.encoding == nil ? $0.body : nil }
            let plainURL = (try? RequestURL(entry.request.url))?.absoluteString ?? entry.request.url
            let mask = SecretMask([:], plainURL, text, secrets)
            (method, url) = (entry.request.method, mask.url(plainURL))
            body =
                post.map { post in
                    post.digest
                        ?? (text.map { mask.body($0, type: post.mimeType) } ?? post.body)
                        .map(RecordedRequest.comparable)
                } ?? ""
        }

        init(_ request: RecordedRequest) {
            (method, url) = (request.method, request.url)
            body = request.digest ?? RecordedRequest.comparable(request.body)
        }
    }

    /// Of all entries. Masking takes long, and a recording can miss each of many requests.
    private let keys: [Key]
    private let left: Locked<[Key: [HAREntry]]>

    init(_ entries: [HAREntry], masking secrets: FurtherSecrets) {
        keys = entries.map { Key($0, masking: secrets) }
        let entries = Dictionary(grouping: zip(keys, entries), by: \.0)
        left = Locked(entries.mapValues { Self.played($0.map(\.1)) })
    }

    /// The entries of equal requests that are played, in the order in which the requests began. An attempt that was left without
    /// a head, as the slower one of a hedged request, is passed over if an entry after it in the file was not left: the replay need
    /// not make that many attempts. The attempt that won ends after the other one, whichever began first.
    private static func played(_ entries: [HAREntry]) -> [HAREntry] {
        guard let last = entries.lastIndex(where: { !$0.wasLeft }) else { return sorted(entries) }
        return sorted(entries[..<last].filter { !$0.wasLeft || $0.response.status > 0 } + entries[last...])
    }

    /// The entries by the times at which their requests began. An entry is written when its response ends, and HAR lets other
    /// programs write entries in any order. Entries with equal or unreadable times stay in the order of the file.
    private static func sorted(_ entries: [HAREntry]) -> [HAREntry] {
        guard entries.count > 1 else { return entries }
        let starts = entries.compactMap(\.start)
        guard starts.count == entries.count else { return entries }
        return entries.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }.map { entries[$0] }
    }

    /// The next response to a request. The last one is repeated.
    func next(_ request: RecordedRequest) -> HAREntry? {
        guard request.isRead else { return nil }
        let key = Key(request)
        return left.withLock { left in
            guard var entries = left[key], let first = entries.first else { return nil }
            if entries.count > 1 {
                entries.removeFirst()
                left[key] = entries
            }
            return first
        }
    }

    /// The error for a request that is not in the recording. It names the nearest entry.
    func failure(_ wanted: RecordedRequest, _ request: Request) -> HTTPClientError {
        guard wanted.isRead else {
            return HTTPClientError(
                .notRecorded, phase: .preparing, origin: request.url.origin.description,
                message: "a body that can be read only once can't be compared with the recording",
                recoverySuggestion: "give it as a file", isUnsent: true)
        }
        let key = Key(wanted)
        let hint = nearest(to: key).map {
            "the nearest entry is \($0.method) \(Self.shown($0.url)), \(Self.difference($0, key))"
        }
        return HTTPClientError(
            .notRecorded, phase: .preparing, origin: request.url.origin.description,
            message: "the recording has no \(wanted.method) \(Self.shown(wanted.url)): \(hint ?? "it is empty")",
            recoverySuggestion: "record again, or record the missing requests too", isUnsent: true)
    }

    private static func shown(_ url: String) -> String { (try? RequestURL(url))?.redacted ?? url }

    private func nearest(to wanted: Key) -> Key? {
        var nearest: (key: Key, similarity: Int)?
        for key in keys {
            let similarity = Self.similarity(key, wanted)
            if similarity > nearest?.similarity ?? -1 { nearest = (key, similarity) }
        }
        return nearest?.key
    }

    /// The similarity of two requests: the length of the common beginning of their URLs counts most, then the method,
    /// then the body.
    private static func similarity(_ entry: Key, _ wanted: Key) -> Int {
        let (url, wantedURL) = (entry.url.utf8.span, wanted.url.utf8.span)
        var common = 0
        while common < min(url.count, wantedURL.count), url[common] == wantedURL[common] { common += 1 }
        return common * 4 + (entry.method == wanted.method ? 2 : 0) + (entry.body == wanted.body ? 1 : 0)
    }

    private static func difference(_ entry: Key, _ wanted: Key) -> String {
        var parts: [String] = []
        if entry.method != wanted.method { parts.append("method") }
        let urls = [entry.url, wanted.url].map { $0.split(separator: "?", maxSplits: 1) }
        if urls[0].first != urls[1].first {
            parts.append("path")
        } else if urls[0].dropFirst().first != urls[1].dropFirst().first {
            parts.append("query")
        }
        if entry.body != wanted.body { parts.append("body") }
        return "which differs in \(parts.joined(separator: " and "))"
    }
}
