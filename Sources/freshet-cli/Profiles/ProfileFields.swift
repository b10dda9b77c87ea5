import Freshet

/// Puts the `headers` of a profile on requests to its origins, beside whatever credential a request has.
struct ProfileFields: RequestInterceptor {
    /// Marks a request that began with an `Authorization` of its own. A redirect can remove the field.
    private struct HasOwnAuthorization: RequestTag {}

    /// Fields that say nothing about who asks. Their values need no rate limit and no cached responses of their own.
    private static let impersonal: [HTTPField.Name] = [
        .accept, .acceptEncoding, .acceptLanguage, .contentType, .userAgent,
    ]

    private let fields: HTTPFields
    private let origins: Set<Origin>
    private let allowsPlainHTTP: Bool

    /// - Returns: `nil` for a profile without fields.
    init?(_ profile: Profile) {
        if profile.headers.isEmpty { return nil }
        fields = profile.headers
        origins = Set(profile.origins)
        allowsPlainHTTP = profile.allowsPlainHTTP
    }

    func begin(_ request: inout Request) {
        if request.headers[.authorization] != nil { request.tags[HasOwnAuthorization.self] = HasOwnAuthorization() }
    }

    func adapt(_ request: inout Request) -> Adaptation {
        let origin = request.url.origin
        let missing = missingFields(of: request)
        if missing.isEmpty { return .ready }
        guard allowsPlainHTTP || !origin.isExposed else {
            var error = HTTPClientError.refusal(
                "the profile's headers would go over plain http to another machine", .allowPlainHTTP)
            error.origin = origin.description
            return .failed(error)
        }
        let plain = request
        request.headers.append(contentsOf: missing)
        // The variables of the environment are masked everywhere, and the rest in the request: it can be a version.
        request.recordSecrets([], addedTo: plain)
        return .ready
    }

    func peek(at head: HTTPResponse, of request: Request) -> Peek { .nothing }

    /// An account for each set of values, because a server can tell users apart by them. An `Authorization` of the request counts
    /// only if it is the caller's: the tokens of a login rotate.
    func account(of request: Request) -> AccountResolution {
        guard origins.contains(request.url.origin) else { return .ready(nil) }
        let names = Set(fields.map(\.name)).subtracting(Self.impersonal + [.authorization])
        // The same before and after the fields are added, because a cache asks in both cases.
        let others = (request.headers + missingFields(of: request)).filter { names.contains($0.name) }
        let authorization = hasOwnAuthorization(request) ? request.headers : fields
        let values = others + authorization.filter { $0.name == .authorization }
        if values.isEmpty { return .ready(nil) }
        let text = values.map { "\($0.name.canonicalName): \($0.value)\n" }.sorted().joined()
        return .ready(RequestAccount(loginID: "headers \(Base64URL.encoded(Digest.sha256(Array(text.utf8))))"))
    }

    private func missingFields(of request: Request) -> [HTTPField] {
        guard origins.contains(request.url.origin) else { return [] }
        return fields.filter { field in
            request.headers[field.name] == nil
                && !(field.name == .authorization && hasOwnAuthorization(request))
        }
    }

    private func hasOwnAuthorization(_ request: Request) -> Bool {
        request.tags[HasOwnAuthorization.self] != nil
    }
}
