import FreshetHTTP
import HTTPTypes

/// Decides which responses a private cache stores, and merges the heads of stored ones. Source: RFC 9111 sections 3 and 4.
enum CacheRules {
    private static let heuristicStatuses: Set = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Statuses whose meaning for caches is known, for `must-understand`.
    private static let understoodStatuses: Set = [
        200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410,
        411,
        412, 413, 414, 415, 417, 421, 422, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505,
    ]
    private static let connectionFields: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authorization", "proxy-authentication-info", "trailer",
    ]

    /// Statuses below 500 that say nothing about the response: they concern the credential, the rate or the conditions of one
    /// request.
    private static let passingStatuses: Set = [206, 304, 401, 407, 408, 412, 416, 419, 421, 425, 429]

    private static let ownConditions: [HTTPField.Name] = [
        .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]

    static func isHeuristicallyCacheable(_ status: HTTPResponse.Status, _ control: CacheControl) -> Bool {
        heuristicStatuses.contains(status.code) || control.contains("public")
    }

    // MARK: Requests

    /// Whether the cache does not handle a request, because the request has conditions or a range of its own.
    static func passes(_ fields: HTTPFields) -> Bool { ownConditions.contains { fields.contains($0) } }

    /// Whether a request asks for the validation of this stored response.
    static func validates(_ fields: HTTPFields, _ stored: CachedResponse) -> Bool {
        let validators = stored.head.headerFields
        return passes(fields) && fields[.ifNoneMatch] == validators[.eTag]
            && fields[.ifModifiedSince] == validators[.lastModified]
    }

    /// Whether a response to this method can change other responses. Unknown methods can.
    static func isUnsafe(_ method: HTTPRequest.Method) -> Bool { ![.get, .head, .options, .trace].contains(method) }

    /// The URLs whose responses an unsafe request with this response has changed. Source: RFC 9111 section 4.4.
    static func changedURLs(by request: Request, _ head: HTTPResponse) -> [RequestURL] {
        guard (200..<400).contains(head.status.code) else { return [] }
        let others = [head.headerFields[.location], head.headerFields[.contentLocation]].compactMap { text in
            text.flatMap { try? request.url.resolving($0) }
        }
        return [request.url] + others.filter { $0.origin == request.url.origin }
    }

    // MARK: Storing

    /// Whether the response to a GET is stored.
    ///
    /// - Parameter isOfLogin: whether the request carried the credential of a login. An error can be about the credential then,
    ///   and the request is sent again with a newer one.
    static func isStorable(_ head: HTTPResponse, to request: HTTPFields, isOfLogin: Bool) -> Bool {
        let control = CacheControl(head.headerFields)
        let status = head.status.code
        if control.contains("must-understand") {
            guard understoodStatuses.contains(status) else { return false }
        } else if control.contains("no-store") {
            return false
        }
        guard status >= 200, status != 206, status != 304, !CacheControl(request).contains("no-store"),
            head.headerFields[.contentType]?.lowercased().hasPrefix("text/event-stream") != true
        else { return false }
        if isOfLogin, status >= 400, !heuristicStatuses.contains(status) { return false }
        return canBeReused(head.headerFields, control) && isCacheable(head, control)
    }

    private static func isCacheable(_ head: HTTPResponse, _ control: CacheControl) -> Bool {
        isHeuristicallyCacheable(head.status, control) || control.contains("private") || control.contains("max-age")
            || head.headerFields.contains(.expires)
    }

    /// Whether a response has a time for which it is fresh, a validator, or permission for stale use. Without them, each request
    /// would replace it.
    private static func canBeReused(_ fields: HTTPFields, _ control: CacheControl) -> Bool {
        fields.contains(.expires) || fields.contains(.eTag) || fields.contains(.lastModified)
            || ["max-age", "stale-if-error", "stale-while-revalidate"].contains(where: control.contains)
    }

    /// The fields of a head that are stored: all but those of one connection.
    static func storedFields(_ fields: HTTPFields) -> HTTPFields {
        let listed = fields.tokens(in: .connection)
        return HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                return !connectionFields.contains(name) && !listed.contains(name)
            })
    }

    /// The head after a 304: its fields replace the stored ones, except those that describe the stored form of the body. Source:
    /// RFC 9111 section 3.2.
    static func merged(_ stored: HTTPFields, with confirmation: HTTPFields) -> HTTPFields {
        let kept: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .contentRange]
        var merged = stored
        // The stored `Age` and `Date` no longer apply after the confirmation.
        (merged[.age], merged[.date]) = (nil, nil)
        for name in Set(storedFields(confirmation).map(\.name)) where !kept.contains(name) {
            merged[fields: name] = confirmation[fields: name]
        }
        return merged
    }

    /// Whether a response shows that the stored one is no longer valid, even if it can't be stored itself.
    static func supersedes(_ status: HTTPResponse.Status) -> Bool {
        status.code < 500 && !passingStatuses.contains(status.code)
    }

    /// Whether a response says that the request had no valid credential. 419 is that of Laravel.
    static func asksForCredential(_ status: HTTPResponse.Status) -> Bool { [401, 407, 419].contains(status.code) }

    /// Whether the server, or one before it, has responded without a look at the credential.
    static func saysNothingOfCredential(_ status: HTTPResponse.Status) -> Bool {
        status.code >= 500 || [408, 425, 429].contains(status.code)
    }

    /// Whether a 304 can confirm the stored response: if both have a tag, it has to be the same by the weak comparison. Source:
    /// RFC 9111 section 4.3.4.
    static func isTagged(_ confirmation: HTTPResponse, as stored: CachedResponse) -> Bool {
        let tags = [confirmation, stored.head].compactMap { $0.headerFields[.eTag] }
            .map { $0.dropFirst($0.hasPrefix("W/") ? 2 : 0) }
        return tags.first == tags.last
    }

    /// Whether the head of a HEAD request describes the stored response to a GET. Source: RFC 9111 section 4.3.5.
    static func describes(_ head: HTTPResponse, _ stored: CachedResponse) -> Bool {
        guard head.status == stored.head.status else { return false }
        let fields = stored.head.headerFields
        let isSame = [HTTPField.Name.eTag, .lastModified].allSatisfy { name in
            !head.headerFields.contains(name) || head.headerFields[name] == fields[name]
        }
        // The length of a body that was encoded is unknown.
        let isEncoded = [fields, head.headerFields].contains { $0.contains(.contentEncoding) }
        let stored = fields[.contentLength] ?? (isEncoded ? nil : String(stored.bodyLength))
        let length = head.headerFields[.contentLength]
        return isSame && (length == nil || stored == nil || length == stored)
    }
}
