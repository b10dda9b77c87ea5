import FoundationEssentials
import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Puts a credential that never changes on requests to the given origins: a user with a password, a token, or an API key.
///
///     let reports = client.with(interceptors: [
///         try FixedCredential.basic(user: "ada", password: password, origins: [Origin("https://reports.example")])
///     ])
///
/// Other origins never receive it, including after a redirect. A request with its own field or query member of the same name
/// keeps it. A credential that expires belongs to an ``AuthenticationInterceptor``.
public struct FixedCredential: RequestInterceptor {
    private enum Placement: Sendable {
        case field(HTTPField)
        case query(name: String, value: String)
    }

    private let placement: Placement
    private let origins: Set<Origin>
    private let allowsPlainHTTP: Bool
    /// Random, so that layers never mix the responses of two credentials. A hash of a password could be used to guess it. A `UUID`
    /// is the same each time while the process has no descriptors left.
    private let account = RequestAccount(loginID: String(UInt128.random(in: 0 ... .max), radix: 16))

    private init(_ placement: Placement, _ origins: Set<Origin>, _ allowsPlainHTTP: Bool) {
        self.placement = placement
        self.origins = origins
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// `Authorization: Basic`. Source: RFC 7617.
    ///
    /// - Parameters:
    ///   - user: the name of the user, which is sent in UTF-8.
    ///   - password: the password, which is sent in UTF-8.
    ///   - origins: the origins that receive the credential.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine. If not, a
    ///     request to such an origin fails with `invalidRequest` before anything is sent.
    /// - Throws: `HTTPClientError` with code `invalidRequest` for a user with a colon, and for control characters.
    public static func basic(
        user: String, password: String, origins: Set<Origin>, allowsPlainHTTP: Bool = false
    ) throws -> FixedCredential {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw refusal("a user of Basic authentication has a colon")
        }
        let pair = "\(user):\(password)"
        guard pair.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw refusal("a user or a password of Basic authentication has a control character")
        }
        let value = "Basic \(Data(pair.utf8).base64EncodedString())"
        return FixedCredential(.field(HTTPField(name: .authorization, value: value)), origins, allowsPlainHTTP)
    }

    /// `Authorization: Bearer`. A token that expires belongs to an ``AuthenticationInterceptor``. Source: RFC 6750 section 2.1.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - origins: the origins that receive the credential.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine.
    /// - Throws: `HTTPClientError` with code `invalidRequest` for a token that HTTP does not allow in a field.
    public static func bearer(
        _ token: String, origins: Set<Origin>, allowsPlainHTTP: Bool = false
    ) throws -> FixedCredential {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refusal("a bearer token is empty or has a character that is not allowed in it")
        }
        return FixedCredential(
            .field(HTTPField(name: .authorization, value: "Bearer \(token)")), origins, allowsPlainHTTP)
    }

    /// An API key in a header field.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - field: the name of the header field, such as `X-Api-Key`.
    ///   - origins: the origins that receive the credential.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine.
    /// - Throws: `HTTPClientError` with code `invalidRequest` for a name or a key that HTTP does not allow in a field.
    public static func apiKey(
        _ key: String, field: String, origins: Set<Origin>, allowsPlainHTTP: Bool = false
    ) throws -> FixedCredential {
        guard let made = try HTTPFields(named: [field: key]).first, !key.isEmpty else {
            throw refusal("an API key is empty")
        }
        return FixedCredential(.field(made), origins, allowsPlainHTTP)
    }

    /// An API key in the query of the URL. Prefer a header field: servers write URLs to their logs.
    ///
    /// - Parameters:
    ///   - key: the key, not yet encoded.
    ///   - query: the name in the query.
    ///   - origins: the origins that receive the credential.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine.
    public static func apiKey(
        _ key: String, query: String, origins: Set<Origin>, allowsPlainHTTP: Bool = false
    ) -> FixedCredential {
        FixedCredential(.query(name: query, value: key), origins, allowsPlainHTTP)
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        guard origins.contains(request.url.origin) else { return .ready }
        do {
            try request.url.origin.checkExposure(allowed: allowsPlainHTTP)
        } catch {
            return .failed(error)
        }
        let plain = request
        let secret: String
        switch placement {
        case .field(let field):
            secret = field.value
            if request.headers[field.name] == nil { request.headers.append(field) }
        case .query(let name, let value):
            secret = value
            let item = RequestBody.formEncoded([(name: name, value: "")])
            let isThere = request.url.query?.split(separator: "&").contains { $0.hasPrefix(item) } ?? false
            if !isThere { request.url = request.url.appending(query: [name: value]) }
        }
        request.recordSecrets([secret], addedTo: plain)
        return .ready
    }

    public func peek(at head: HTTPResponse, of request: Request) -> Peek { .nothing }

    public func account(of request: Request) -> AccountResolution {
        guard origins.contains(request.url.origin) else { return .ready(nil) }
        // Layers tell requests apart by this field, so a later process finds what this one has stored.
        if case .field(let field) = placement, field.name == .authorization { return .unstated }
        // A field of the request's own replaces the credential, and can be of anybody.
        if case .field(let field) = placement, let own = request.headers[field.name], own != field.value {
            return .ready(RequestAccount(loginID: nil))
        }
        return .ready(account)
    }

    private static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: "check what was given",
            isUnsent: true)
    }
}

extension FixedCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "a fixed credential for \(origins.map(\.description).sorted().joined(separator: ", "))"
    }

    // The default would print the credential.
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
