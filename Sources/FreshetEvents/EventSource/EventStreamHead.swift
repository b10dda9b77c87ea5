import FreshetHTTP
import HTTPTypes

/// The meaning of a response's head for the stream. Source: the WHATWG HTML standard, section 9.2.3.
enum EventStreamHead {
    case stream
    /// "Clients will reconnect if the connection is closed; a client can be told to stop reconnecting using the HTTP 204
    /// No Content response code."
    case stop
    /// "If res's status is not 200, or if res's `Content-Type` is not `text/event-stream`, then fail the connection."
    case none(any Error)

    init(_ head: HTTPResponse, from url: RequestURL) {
        let type = Self.essence(of: head.headerFields)
        if head.status == .ok, type == "text/event-stream" {
            self = .stream
        } else if head.status == .noContent {
            self = .stop
        } else {
            self = .none(
                HTTPClientError(
                    .status, phase: .receiving, origin: url.origin.description,
                    message: head.status == .ok
                        ? "the server responded with \(type.map { "the type \($0)" } ?? "no type"), and not with an event stream"
                        : "the server responded with \(head.status.code), and not with an event stream",
                    recoverySuggestion: head.status.code == 429 || head.status.kind == .serverError
                        ? .tryAgainLater : "check the address and the rights",
                    response: Response(head: head, url: url)))
        }
    }

    /// The error about a response with this head, if its body can contain the reason; `nil` if it can't. With status 200 and
    /// another type, only JSON can contain the problem of the request.
    func explainable(_ head: HTTPResponse) -> HTTPClientError? {
        guard case .none(let error as HTTPClientError) = self else { return nil }
        let subtype = head.headerFields[.contentType].flatMap(MediaType.init)?.subtype
        return head.status != .ok || subtype?.hasSuffix("json") == true ? error : nil
    }

    /// Returns type and subtype in lower case. If the response states several types, the last one counts.
    /// Source: the Fetch standard, "extract a MIME type".
    private static func essence(of fields: HTTPFields) -> String? {
        var essence: String?
        for field in fields[fields: .contentType] {
            for part in parts(of: field.value) {
                guard let type = MediaType(part), type.type != "*" else { continue }
                essence = "\(type.type)/\(type.subtype)"
            }
        }
        return essence
    }

    /// Splits at the commas outside of quotation marks. Source: the Fetch standard, "get, decode, and split".
    private static func parts(of field: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in field.unicodeScalars {
            if character == ",", !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].unicodeScalars.append(character)
        }
        return parts
    }
}
