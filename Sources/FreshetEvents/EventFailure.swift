import FoundationEssentials
public import FreshetHTTP
import Glibc

/// An error that the server reported in an event, although the status of the response was 200.
///
/// It is the underlying error of an `HTTPClientError` with code `status`. The descriptions of both have the ``kind`` and not
/// the ``message``, because servers put parts of keys and of questions into the message.
public struct EventFailure: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The server's name for the error, such as `overloaded_error`; empty if it has none.
    public var kind: String
    /// The server's message, if it wrote one.
    public var message: String
    /// The event that reported it.
    public var event: ServerSentEvent

    /// Makes a failure, for custom `EventSource.Settings` that find errors in events.
    public init(kind: String, message: String, event: ServerSentEvent) {
        self.kind = kind
        self.message = message
        self.event = event
    }

    /// Whether the failure may pass by itself: the server is overloaded, out of order, or has had too many requests.
    public var isTransient: Bool {
        if let code = Int(kind) { return code == 408 || code == 429 || (500..<600).contains(code) }
        return Self.namesTransience(kind)
    }

    fileprivate static func namesTransience(_ kind: String) -> Bool {
        let words = [
            "overloaded", "rate_limit", "exhausted", "server_error", "api_error", "internal", "timeout", "unavailable",
        ]
        let kind = kind.lowercased()
        return words.contains { kind.contains($0) }
    }

    /// The error that an event reports in one of the shapes that chat APIs use; `nil` for nearly all events.
    ///
    /// - An event of type `error` is an error, whatever its data.
    /// - An event is an error if its data is a JSON object with an `error` that is not null, `false`, 0 or empty: an object with
    ///   `type` or `code` and `message`, or a text. The `error` can also be that of its `response`, as in OpenAI's
    ///   `response.failed`.
    @Sendable
    public static func common(_ event: ServerSentEvent) -> (any Error)? {
        // Most events report no error, and decoding them would cost too much.
        let isNamed = event.type == "error"
        guard isNamed || event.data.utf8.hasMember(named: "\"error\"") else { return nil }
        let report = try? JSONDecoder().decode(Report.self, from: Data(event.data.utf8))
        guard let detail = report?.error ?? (isNamed ? report?.detail ?? Report.Detail() : nil) else { return nil }
        return EventFailure(kind: detail.kind, message: detail.message, event: event).clientError
    }

    /// A sentence with the ``kind`` if that is a word, without the ``message`` and the data of the ``event``.
    public var description: String {
        let isWord = !kind.isEmpty && kind.utf8.count <= 64 && kind.utf8.allSatisfy(\.isOfWord)
        return "the server reported \(isWord ? kind : "an error") within the stream"
    }

    public var debugDescription: String { description }

    /// The failure as an error of the client.
    public var clientError: HTTPClientError {
        HTTPClientError(
            .status, phase: .receiving, origin: event.origin,
            message: description,
            recoverySuggestion: "see the underlying error",
            underlying: self)
    }
}

/// The parts of an event's data that describe an error, in either shape.
private struct Report: Decodable {
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    struct Detail: Decodable {
        var kind = ""
        var message = ""

        private enum Key: String, CodingKey {
            case type, code, status, message
        }

        init() {}

        /// Some servers write `"error": false`, 0, an empty text, list or object if there is no error.
        private static func check(_ isError: Bool) throws {
            struct NoFailure: Error {}
            if !isError { throw NoFailure() }
        }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                try Self.check(!text.isEmpty)
                message = text
                return
            }
            if let code = try? value.decode(Int.self) {
                try Self.check(code != 0)
                kind = "\(code)"
                return
            }
            if let isError = try? value.decode(Bool.self) {
                try Self.check(isError)
                return
            }
            if let list = try? decoder.unkeyedContainer() {
                try Self.check(!list.isAtEnd)
                return
            }
            try Self.check(!value.decode([String: Anything].self).isEmpty)
            let members = try decoder.container(keyedBy: Key.self)
            let words = [Key.type, .code, .status].compactMap { try? members.decode(String.self, forKey: $0) }
            // The word `error` only says that the object is a report. A limit of OpenAI has `tokens` or `requests` as its type,
            // and the reason as its code.
            kind =
                words.first(where: EventFailure.namesTransience) ?? words.first { $0 != "error" }
                ?? (try? members.decode(Int.self, forKey: .code)).map(String.init) ?? ""
            message = (try? members.decode(String.self, forKey: .message)) ?? ""
        }
    }

    var error: Detail?
    /// The report, if the data itself is the report.
    var detail: Detail

    private enum Key: CodingKey {
        case error, response
    }

    init(from decoder: any Decoder) throws {
        let members = try? decoder.container(keyedBy: Key.self)
        let response = try? members?.nestedContainer(keyedBy: Key.self, forKey: .response)
        error = [members, response].lazy.compactMap { try? $0?.decode(Detail.self, forKey: .error) }.first
        detail = try Detail(from: decoder)
    }
}

extension String.UTF8View {
    /// Whether the name of a member occurs somewhere, with its quotes.
    fileprivate func hasMember(named name: StaticString) -> Bool {
        withContiguousStorageIfAvailable { bytes in
            let length = name.utf8CodeUnitCount
            var index = 0
            while let base = bytes.baseAddress, index + length <= bytes.count,
                let found = memchr(base + index, Int32(UInt8(ascii: "\"")), bytes.count - length + 1 - index)
            {
                if memcmp(found, name.utf8Start, length) == 0 { return true }
                index = UnsafeRawPointer(base).distance(to: found) + 1
            }
            return false
        } ?? true
    }
}

extension UInt8 {
    fileprivate var isOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
