import HTTPTypes

/// Decides where a redirect sends a request, and how the request changes on the way.
///
/// Source: the Fetch standard's HTTP-redirect fetch, RFC 9110 section 15.4.
struct RedirectPolicy {
    var limit: Int
    /// Whether a redirect may lead from https to http.
    var allowsDowngrade: Bool
    private let hsts: HSTSStore?
    private var count = 0

    init(limit: Int, allowsDowngrade: Bool, hsts: HSTSStore? = nil) {
        self.limit = limit
        self.hsts = hsts
        self.allowsDowngrade = allowsDowngrade
    }

    /// Returns the request to send next, or `nil` if the response is not a redirect to follow.
    ///
    /// - Parameters:
    ///   - request: the request as its caller, or the last redirect, has made it.
    ///   - url: where it was sent, which an interceptor can change; by default to its URL.
    /// - Throws: ``HTTPClientError`` with code `tooManyRedirects` or `forbiddenRedirect`.
    mutating func next(
        after request: Request, sentTo url: RequestURL? = nil, respondedWith head: HTTPResponse
    ) throws -> Request? {
        let url = url ?? request.url
        guard limit > 0, Self.isRedirect(head.status.code),
            let location = head.headerFields[fields: .location].first
        else { return nil }
        let isRewritten =
            head.status.code == 303
            ? request.method != .head && (request.method != .get || !request.body.isEmpty)
            : [301, 302].contains(head.status.code) && request.method == .post
        if !isRewritten, request.isOneShot, !request.body.isEmpty { return nil }
        count += 1
        if count > limit {
            throw refusal(
                .tooManyRedirects, request, "\(limit) redirects were followed and another came", "ask the final address"
            )
        }
        // Chromium refuses this too: clients differ in which of two addresses they choose.
        guard head.headerFields[fields: .location].allSatisfy({ $0 == location }) else {
            throw refusal(
                .forbiddenRedirect, request, "the redirect leads to two addresses at once", "request the right one")
        }
        var next = request
        next.url = try target(Self.text(of: location), of: request, sentTo: url)
        if isRewritten {
            next.method = .get
            next.body = .empty
            for name in Self.bodyFields { next.headers[name] = nil }
        }
        if next.url.origin != request.url.origin, next.url.origin != url.origin {
            for name in Self.originFields { next.headers[name] = nil }
        }
        return next
    }

    /// Whether a response with this status can be a redirect.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The value of `field`. Bytes that are not UTF-8 are percent-encoded, as curl does.
    private static func text(of field: HTTPField) -> String {
        field.withUnsafeBytesOfValue { bytes in
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            var ascii: [UInt8] = []
            for byte in bytes {
                if byte < 0x80 { ascii.append(byte) } else { PercentEncoding.append(byte, to: &ascii) }
            }
            return String(decoding: ascii, as: UTF8.self)
        }
    }

    private func target(_ location: String, of request: Request, sentTo url: RequestURL) throws -> RequestURL {
        var target: RequestURL
        do {
            // Servers send bare spaces, and browsers encode them.
            target = try url.resolving(
                location.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20"))
        } catch {
            let reason = (error as? HTTPClientError).map { ": \($0.message)" } ?? ""
            throw refusal(
                .forbiddenRedirect, request, "the redirect can't be followed\(reason)", "ask another address",
                underlying: error)
        }
        if let hsts { target = hsts.upgraded(target) }
        if url.scheme == "https", target.scheme == "http", !allowsDowngrade {
            throw refusal(
                .forbiddenRedirect, request,
                "the redirect leads from https to http, to \(target.origin)", "ask that address if you trust it")
        }
        return target
    }

    private func refusal(
        _ code: HTTPClientError.Code, _ request: Request, _ message: String,
        _ recoverySuggestion: HTTPClientError.RecoverySuggestion,
        underlying: (any Error)? = nil
    ) -> HTTPClientError {
        HTTPClientError(
            code, phase: .redirecting, origin: request.url.origin.description, message: message,
            recoverySuggestion: recoverySuggestion,
            underlying: underlying)
    }

    /// The fields that describe a body. They are removed with the body. Source: RFC 9110 section 15.4, section 10.1.1 for `Expect`,
    /// and RFC 9530 for the digests.
    private static let bodyFields: [HTTPField.Name] =
        [
            .contentEncoding, .contentLanguage, .contentLocation, .contentType, .contentLength, .contentRange, .expect,
            .lastModified,
        ] + ["Digest", "Content-Digest", "Repr-Digest", "Content-MD5"].map { HTTPField.Name($0)! }
    /// The fields that are meant for one origin: credentials, and the host name that the request asks for.
    private static let originFields: [HTTPField.Name] = [
        .authorization, .cookie, .proxyAuthorization, HTTPField.Name("Host")!,
    ]
}
