public import HTTPTypes

/// Decides which parts of a request or a response observers may see. Of a part that could be a secret, they see only the name.
///
/// The value of a field, or of a name in a query, is shown if the name is known to hold no secret. A path is shown as it is.
/// Bodies are never asked for.
public struct Redaction: Sendable {
    /// The text that replaces a value. Source: OpenTelemetry's conventions for `url.full`.
    public static let mask = "REDACTED"

    /// The fields whose values are shown; by default those that are known to hold no secret.
    public var shownFields: Set<HTTPField.Name> = Redaction.harmlessFields
    /// The names in a query whose values are shown; by default none.
    public var shownQueryNames: Set<String> = []

    public init() {}

    public func value(of field: HTTPField) -> String {
        shownFields.contains(field.name) ? field.value : Self.mask
    }

    /// The URL, with the values in its query masked.
    public func url(_ url: RequestURL) -> String {
        let query = url.pathAndQuery.drop { $0 != "?" }.dropFirst()
        guard !query.isEmpty else { return url.redacted }
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
            // An item without an equals sign may be a value.
            guard let end = item.firstIndex(of: "=") else { return item.isEmpty ? "" : Self.mask }
            return shownQueryNames.contains(String(item[..<end])) ? String(item) : "\(item[..<end])=\(Self.mask)"
        }
        return "\(url.redacted)?\(items.joined(separator: "&"))"
    }

    /// The registered fields that say how a message is made, and not who sends it or what for.
    public static let harmlessFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .allow, .cacheControl, .connection,
        .contentDisposition, .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType, .date,
        .eTag, .expect, .expires, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .lastModified,
        .range, .retryAfter, .server, .strictTransportSecurity, .trailer, .transferEncoding, .userAgent, .vary, .via,
    ]
}
