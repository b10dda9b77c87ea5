import FreshetCore
import FreshetHTTP
public import HTTPTypes

extension HTTPField.Name {
    /// `Last-Event-ID`, with which a stream continues. Source: the WHATWG HTML standard, section 9.2.4.
    public static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let pragma = HTTPField.Name("Pragma")!
}

extension HTTPFields {
    /// Sets the fields of a request for an event stream. `Accept`, `Pragma` and `Cache-Control` that the caller has set stay.
    ///
    /// Sources: the WHATWG HTML standard, sections 9.2.2 and 9.2.3, and the Fetch standard's HTTP-network-or-cache fetch.
    mutating func setEventStreamFields(after lastEventID: String) {
        // "Set (`Accept`, `text/event-stream`) in request's header list."
        if self[.accept] == nil { self[.accept] = "text/event-stream" }
        // "Set request's cache mode to `no-store`." Of that mode: "If httpRequest's header list does not contain `Pragma`,
        // then append (`Pragma`, `no-cache`)", and the same of `Cache-Control`.
        if self[.pragma] == nil { self[.pragma] = "no-cache" }
        if self[.cacheControl] == nil { self[.cacheControl] = "no-cache" }
        // "If the EventSource object's last event ID string is not the empty string, then: let lastEventIDValue be the
        // last event ID string, encoded as UTF-8." The spaces around a value are not part of it for any receiver. By the Fetch
        // standard's definition of a header value, control characters other than CR, LF and NUL are part of it.
        let id = Self.trimmed(lastEventID)
        self[.lastEventID] = nil
        if !id.isEmpty { append(HTTPField(name: .lastEventID, lenientValue: Array(id.utf8))) }
    }

    /// Whether a stream can have sent this event ID, and a header field can contain it.
    static func canHold(_ eventID: String) -> Bool {
        !eventID.utf8.contains { $0 == 0 || $0 == .lineFeed || $0 == .carriageReturn }
    }

    private static func trimmed(_ text: String) -> String {
        func isSpace(_ character: Unicode.Scalar) -> Bool { character == " " || character == "\t" }
        let scalars = text.unicodeScalars
        guard let last = scalars.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(scalars[...last].drop(while: isSpace))
    }
}

extension EventSource {
    /// Returns the request of the next connection.
    func request(after lastEventID: String) -> Request {
        var request = request
        request.headers.setEventStreamFields(after: lastEventID)
        // The stream measures the request's timeout, until the response begins.
        request.timeout = .never
        var transfer = request.transfer ?? client.configuration.transfer
        if request.transfer == nil {
            // Limits for a whole response do not apply to a stream without an end.
            transfer.totalTimeout = nil
            transfer.maximumBodySize = nil
        }
        transfer.maximumDecodingRatio = nil
        transfer.isLongLived = true
        transfer.idleTimeout = nil
        request.transfer = transfer
        return request
    }
}
