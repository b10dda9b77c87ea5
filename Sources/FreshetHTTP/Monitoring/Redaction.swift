public import HTTPTypes

/// What of a request or an answer may be shown to those who watch: of what could be a secret, the name alone.
///
/// A field's value is shown if its name is known for holding none, and so is a query's. A path is shown as it is. Bodies are
/// never asked for.
public struct Redaction: Sendable {
    /// What stands for a value. Source: OpenTelemetry's conventions for `url.full`.
    public static let mask = "REDACTED"

    /// Fields whose values are shown; by default those that are known to hold no secret.
    public var shownFields: Set<HTTPField.Name> = Redaction.harmlessFields
    /// Names in a query whose values are shown; by default none.
    public var shownQueryNames: Set<String> = []

    public init() {}

    public func value(of field: HTTPField) -> String {
        shownFields.contains(field.name) ? field.value : Self.mask
    }

    /// The address, of whose query the names are left.
    public func url(_ url: RequestURL) -> String {
        let query = url.pathAndQuery.drop { $0 != "?" }.dropFirst()
        guard !query.isEmpty else { return url.redacted }
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
            // What has no value may be one.
            guard let end = item.firstIndex(of: "=") else { return item.isEmpty ? "" : Self.mask }
            return shownQueryNames.contains(String(item[..<end])) ? String(item) : "\(item[..<end])=\(Self.mask)"
        }
        return "\(url.redacted)?\(items.joined(separator: "&"))"
    }

    /// Of the registered fields those that say how a message is made, not who sends it or what for.
    public static let harmlessFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .allow, .cacheControl, .connection,
        .contentDisposition, .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType, .date,
        .eTag, .expect, .expires, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .lastModified,
        .range, .retryAfter, .server, .strictTransportSecurity, .trailer, .transferEncoding, .userAgent, .vary, .via,
    ]
}
