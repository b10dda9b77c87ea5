import FoundationEssentials
import FreshetHTTP

/// One request and its response in the form of HAR 1.2. Members that begin with an underscore are this library's own.
struct HAREntry: Codable, Sendable, Hashable {
    struct Pair: Codable, Sendable, Hashable {
        var name: String
        var value: String
    }

    /// A field of a form.
    struct Parameter: Codable, Sendable, Hashable {
        var name: String
        var value: String?
    }

    struct Post: Codable, Sendable, Hashable {
        var mimeType: String
        /// Other programs write `params` in place of it.
        var text: String?
        var params: [Parameter]?
        var encoding: String?
        /// Of a body that is too large for the file: the SHA-256 digest of its last piece of less than 1 MiB, after the digest of
        /// the pieces of 1 MiB before it, which is made in the same way.
        var digest: String?
        var comment: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, text, params, comment
            case encoding = "_encoding"
            case digest = "_digest"
        }

        /// The body; `nil` if the file does not have it.
        var body: String? {
            if let text, !text.isEmpty { return text }
            guard let params, mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded") else { return nil }
            return RequestBody.formEncoded(params.map { ($0.name, $0.value ?? "") })
        }
    }

    struct Request: Codable, Sendable, Hashable {
        var method: String
        var url: String
        var httpVersion: String
        var cookies: [Pair] = []
        var headers: [Pair]
        var queryString: [Pair]
        var postData: Post?
        var headersSize = -1
        var bodySize: Int
    }

    struct Content: Codable, Sendable, Hashable {
        var size: Int
        var mimeType: String
        var text: String?
        var encoding: String?
    }

    /// The head of an interim response (1xx).
    struct Interim: Codable, Sendable, Hashable {
        var status: Int
        var statusText: String
        var headers: [Pair]
    }

    struct Response: Codable, Sendable, Hashable {
        var status: Int
        var statusText: String
        var httpVersion: String
        var cookies: [Pair] = []
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize = -1
        var bodySize = -1
        /// The error of a request that failed.
        var error: String?
        /// The phase of the error.
        var phase: String?
        /// Whether the request failed before a byte of it was sent.
        var isUnsent: Bool?
        var interim: [Interim]?
        var trailers: [Pair]?

        enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
            case error = "_error"
            case phase = "_phase"
            case isUnsent = "_unsent"
            case interim = "_interim"
            case trailers = "_trailers"
        }
    }

    struct Timings: Codable, Sendable, Hashable {
        var blocked = -1.0
        var dns = -1.0
        var connect = -1.0
        var ssl = -1.0
        var send = 0.0
        var wait = 0.0
        var receive = 0.0

        init() {}

        /// Other programs leave the first four out, which are optional.
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            blocked = try members.decodeIfPresent(Double.self, forKey: .blocked) ?? -1
            dns = try members.decodeIfPresent(Double.self, forKey: .dns) ?? -1
            connect = try members.decodeIfPresent(Double.self, forKey: .connect) ?? -1
            ssl = try members.decodeIfPresent(Double.self, forKey: .ssl) ?? -1
            send = try members.decode(Double.self, forKey: .send)
            wait = try members.decode(Double.self, forKey: .wait)
            receive = try members.decode(Double.self, forKey: .receive)
        }
    }

    struct Cache: Codable, Sendable, Hashable {}

    /// When the request began, in the form of ISO 8601.
    var startedDateTime: String
    /// In milliseconds.
    var time: Double
    var request: Request
    var response: Response
    var cache = Cache()
    var timings: Timings
    var serverIPAddress: String?
    /// The pieces of the body: the time since the head in milliseconds, and the length in bytes. Other programs write none.
    var chunks: [[Double]]?

    enum CodingKeys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings, serverIPAddress
        case chunks = "_chunks"
    }

    /// When the request began; `nil` if the text is no time of ISO 8601.
    var start: Date? { try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(startedDateTime) }

    /// Writes a time in UTC. Its microseconds tell the order of requests that began within a millisecond.
    static func text(_ secondsSince1970: Double) -> String {
        let whole = secondsSince1970.rounded(.down)
        let microseconds = ((secondsSince1970 - whole) * 1_000_000).rounded(.down)
        let fraction = String(Int(1_000_000 + microseconds)).dropFirst()
        return Date.ISO8601FormatStyle().format(Date(timeIntervalSince1970: whole)).dropLast() + ".\(fraction)Z"
    }

    /// Whether the request was ended by its caller or a timeout before its response was complete.
    var wasLeft: Bool { response.error == HTTPClientError.Code.cancelled.rawValue }

    /// The decoded body.
    var body: [UInt8] { decodedBody ?? [] }

    /// The decoded body; `nil` if it is Base64 that can't be decoded.
    var decodedBody: [UInt8]? {
        guard let text = response.content.text else { return [] }
        guard response.content.encoding == "base64" else { return Array(text.utf8) }
        return Data(base64Encoded: text).map(Array.init)
    }
}

/// The file as a whole.
struct HARDocument: Codable, Sendable {
    struct Creator: Codable, Sendable {
        var name: String
        var version: String
    }

    struct Log: Codable, Sendable {
        var version: String
        var creator: Creator
        var entries: [HAREntry]
    }

    var log: Log
}
