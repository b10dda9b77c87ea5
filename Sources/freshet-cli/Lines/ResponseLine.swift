import Foundation
import Freshet

/// The outcome of one request of `run`.
struct ResponseLine {
    /// The JSON text of the line's `id`; `nil` if there is none.
    var id: [UInt8]?
    /// The head of the response, if one arrived, its body, if it is complete, and its address, after all redirects.
    var head: HTTPResponse?
    var url: RequestURL?
    var body: [UInt8]?
    var attempts = 0
    var refreshes = 0
    /// The source of the response, if a cache has recorded it.
    var cache: CacheStatus?
    var duration = Duration.zero
    var error: HTTPClientError?
}

/// Writes lines of `run`'s output one after the other.
struct ResponseWriter {
    /// Whether the lines contain the source of the response.
    let hasCache: Bool
    private let start = ProgressLine.wipe
    private var latest = LatestFields()

    init(hasCache: Bool) {
        self.hasCache = hasCache
    }

    /// The line of output, with its line feed.
    mutating func line(for response: ResponseLine) -> [UInt8] {
        let fields = response.head.map { latest.text(of: $0.headerFields) } ?? LatestFields.none
        let size = 160 + (response.id?.count ?? 0) + fields.count + (response.body?.count ?? 0) * 9 / 8
        var writer = JSONWriter(after: start, reserving: size)
        writer.object { line in
            line.member("id") { if let id = response.id { $0.raw(id) } else { $0.null() } }
            line.member("status") { if let head = response.head { $0.number(head.status.code) } else { $0.null() } }
            line.member("headers") { $0.raw(fields) }
            encode(response.body, into: &line)
            line.member("attempts") { $0.number(response.attempts) }
            line.member("refreshes") { $0.number(response.refreshes) }
            if hasCache { encode(response.cache, into: &line) }
            line.member("duration_ms") { $0.thousandths(response.duration.wholeMicroseconds) }
            line.member("error") { encode(response.error, into: &$0) }
        }
        return writer.line()
    }

    private func encode(_ status: CacheStatus?, into line: inout JSONWriter) {
        guard let status else { return line.member("cache") { $0.null() } }
        let (name, age): (String, Int?) =
            switch status {
            case .hit(let age): ("hit", age)
            case .stale(let age): ("stale", age)
            case .revalidated: ("revalidated", nil)
            case .miss, .unsatisfiable: ("miss", nil)
            }
        line.member("cache") { $0.string(name) }
        if let age { line.member("age") { $0.number(age) } }
    }

    private func encode(_ body: [UInt8]?, into line: inout JSONWriter) {
        guard let body else { return line.member("body") { $0.null() } }
        if JSONText.isUTF8(body) {
            line.member("body") { value in body.withUnsafeBufferPointer { value.string($0) } }
        } else {
            line.member("body_base64") { $0.string(Data(body).base64EncodedString()) }
        }
    }

    private func encode(_ error: HTTPClientError?, into writer: inout JSONWriter) {
        guard let error else { return writer.null() }
        writer.object { object in
            object.member("code") { $0.string(error.code.rawValue) }
            object.member("message") { $0.string(error.phrasedAsOptions.explanation) }
        }
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }
}
