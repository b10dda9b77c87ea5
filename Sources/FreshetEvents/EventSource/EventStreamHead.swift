import FreshetHTTP
import HTTPTypes

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

/// What the head of an answer says about the stream. Source: the WHATWG HTML standard, section 9.2.3.
enum EventStreamHead {
    case stream
    /// "Clients will reconnect if the connection is closed; a client can be told to stop reconnecting using the HTTP 204
    /// No Content response code."
    case stop
    /// "If res's status is not 200, or if res's `Content-Type` is not `text/event-stream`, then fail the connection."
    case none(HTTPClientError)

    init(_ head: HTTPResponse, from url: RequestURL) {
        let type = head.headerFields[.contentType].map(Self.essence)
        if head.status == .ok, type == "text/event-stream" {
            self = .stream
        } else if head.status == .noContent {
            self = .stop
        } else {
            self = .none(
                HTTPClientError(
                    .status, phase: .receiving, origin: url.origin.description,
                    message: """
                        the server answered \(head.status.code) with type \(type ?? "none"), which is no event stream; \
                        check the address and the rights
                        """,
                    response: Response(head: head, url: url)))
        }
    }

    /// Type and subtype in lower case, without parameters. Source: the WHATWG MIME sniffing standard, section 4.4.
    private static func essence(of contentType: String) -> String {
        let essence = contentType.prefix { $0 != ";" }.drop { $0 == " " || $0 == "\t" }
        let end = essence.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { essence[...$0].lowercased() } ?? ""
    }
}
