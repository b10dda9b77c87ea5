public import FreshetAuth
public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Finds authorization servers by their issuer and by the address of a protected resource. Source: RFC 8414 section 3, OpenID
/// Connect Discovery section 4, RFC 9728 sections 3 and 5.
///
/// Metadata is untrusted input. It is read over https, or over http from this machine, and is at most 1 MiB long. A redirect to
/// another origin is not followed. A private address in the metadata of a public server is an error too, because a request to it
/// would reach this machine's own network. Host names are not resolved for that check. Errors are `HTTPClientError` with code
/// `discovery`, or `issuerMismatch` if a server names another issuer than the requested one.
public struct Discovery: Sendable {
    /// The largest document in bytes.
    private static let longestDocument = 1 << 20
    private static let redirectLimit = 3

    private let client: HTTPClient
    private let allowsPlainHTTP: Bool

    /// - Parameters:
    ///   - client: sends the requests, without its interceptors.
    ///   - allowsPlainHTTP: whether metadata may be read over plain http from other machines.
    public init(client: HTTPClient, allowsPlainHTTP: Bool = false) {
        var configuration = client.configuration
        configuration.redirectLimit = 0
        configuration.maximumBodySize = Self.longestDocument
        self.client = client.with(interceptors: [], configuration: configuration)
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Finds the server with the issuer `issuer` at the first of its well-known addresses that has a document.
    public func server(issuer: String) -> Single<AuthorizationServer> {
        .deferred {
            let url = try Self.issuerURL(issuer)
            return self.server(issuer, at: Self.serverAddresses(of: url)[...], problem: nil)
        }
    }

    /// Finds the first authorization server of a protected resource.
    public func server(of resource: ProtectedResource) -> Single<AuthorizationServer> {
        .deferred {
            guard let issuer = resource.authorizationServers.first else {
                throw HTTPClientError.discovery("it names no authorization server", at: try Self.url(resource.resource))
            }
            try Self.check(Self.issuerURL(issuer), namedBy: Self.url(resource.resource))
            return self.server(issuer: issuer)
        }
    }

    private func server(
        _ issuer: String, at addresses: ArraySlice<RequestURL>, problem: HTTPClientError?
    ) -> Single<AuthorizationServer> {
        guard let address = addresses.first else {
            return .error(problem ?? .discovery("\(issuer) has no metadata at its well-known addresses"))
        }
        @Sendable func next(_ problem: HTTPClientError?) -> Single<AuthorizationServer> {
            self.server(issuer, at: addresses.dropFirst(), problem: problem)
        }
        return document(at: address).flatMap { finding in
            guard case .document(let document) = finding else { return next(finding.problem ?? problem) }
            // Some servers have an error in JSON with status 200 at every address that they do not know.
            guard document["issuer"] != nil else {
                return next(.discovery("what is there is no metadata", at: address))
            }
            let server = try AuthorizationServer(document, from: address)
            guard server.issuer.utf8.elementsEqual(issuer.utf8) else {
                return next(Self.mismatch(issuer, server.issuer))
            }
            for endpoint in server.endpoints where endpoint.origin.isExposed && !self.allowsPlainHTTP {
                throw HTTPClientError.discovery("it has an endpoint over plain http: \(endpoint.redacted)", at: address)
            }
            for endpoint in server.endpoints { try Self.check(endpoint, namedBy: address) }
            return .just(server)
        }
    }

    /// Finds the metadata of the protected resource at `url`.
    ///
    /// - Parameters:
    ///   - url: the address that demands a token.
    ///   - challenge: the challenge of its response. If it has a `resource_metadata`, only that address is asked.
    public func resource(
        at url: RequestURL, challenge: AuthenticationChallenge? = nil
    ) -> Single<ProtectedResource> {
        .deferred {
            if let text = challenge?["resource_metadata"] {
                let metadata = try Self.url(text)
                try Self.check(metadata, namedBy: url)
                return self.resource(at: url, [metadata], problem: nil)
            }
            return self.resource(at: url, Self.resourceAddresses(of: url)[...], problem: nil)
        }
    }

    private func resource(
        at url: RequestURL, _ addresses: ArraySlice<RequestURL>, problem: HTTPClientError?
    ) -> Single<ProtectedResource> {
        guard let address = addresses.first else {
            return .error(problem ?? .discovery("it has no metadata of a protected resource", at: url))
        }
        return document(at: address).flatMap { finding in
            @Sendable func next(_ problem: HTTPClientError?) -> Single<ProtectedResource> {
                self.resource(at: url, addresses.dropFirst(), problem: problem)
            }
            guard case .document(let document) = finding else { return next(finding.problem ?? problem) }
            guard let resource = ProtectedResource(document) else {
                return next(.discovery("what is there is no metadata of a protected resource", at: address))
            }
            guard Self.covers(resource.resource, url) else {
                throw Self.mismatch(url, resource, at: address)
            }
            return .just(resource)
        }
    }

    // MARK: Addresses

    /// Returns the URL of an issuer or of metadata. It has no fragment.
    private static func url(_ text: String) throws -> RequestURL {
        do {
            return try RequestURL(text)
        } catch {
            throw HTTPClientError(
                .discovery, phase: .preparing, message: "the issuer or the metadata's address is no URL",
                recoverySuggestion: "write it with its scheme, as https://HOST", underlying: error, isUnsent: true)
        }
    }

    /// Returns the URL of an issuer. The text is shown in errors and compared byte by byte, so it must have no hidden characters.
    /// Source: RFC 8414 section 2.
    private static func issuerURL(_ issuer: String) throws -> RequestURL {
        let url = try url(issuer)
        guard issuer.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !issuer.contains(where: "?#".contains) else {
            throw HTTPClientError.discovery("an issuer is an address in ASCII without a query or a fragment", at: url)
        }
        return url
    }

    /// Throws if a public server names a private address: it must not make this machine send requests to its own network.
    private static func check(_ named: RequestURL, namedBy url: RequestURL) throws {
        guard !named.origin.isPrivate || url.origin.isPrivate else {
            throw HTTPClientError.discovery("it names an address of a private network", at: url)
        }
    }

    /// Returns the well-known addresses. The issuer's path follows the well-known name. For OpenID Connect it can also precede
    /// the name.
    private static func serverAddresses(of issuer: RequestURL) -> [RequestURL] {
        let path = path(of: issuer)
        let origin = issuer.origin
        var addresses = ["/.well-known/oauth-authorization-server\(path)", "/.well-known/openid-configuration\(path)"]
        if !path.isEmpty { addresses.append("\(path)/.well-known/openid-configuration") }
        return addresses.compactMap { try? RequestURL("\(origin)\($0)") }
    }

    /// Returns the well-known addresses. The name goes between the host and the rest, of which only the slash after the host is
    /// removed if nothing follows it in the path. Some servers know only the path without its final slash and without the query,
    /// or nothing but the name. Source: RFC 9728 section 3.1.
    private static func resourceAddresses(of url: RequestURL) -> [RequestURL] {
        let name = "/.well-known/oauth-protected-resource"
        let path = path(of: url)
        let rest = path.isEmpty ? String(url.pathAndQuery.dropFirst()) : url.pathAndQuery
        var suffixes = [rest]
        for suffix in [path, ""] where suffixes.last != suffix { suffixes.append(suffix) }
        return suffixes.compactMap { try? RequestURL("\(url.origin)\(name)\($0)") }
    }

    private static func path(of url: RequestURL) -> String {
        url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
    }

    /// Whether `resource` is `url`, its origin, or a path above it. Some servers name only their origin.
    private static func covers(_ resource: String, _ url: RequestURL) -> Bool {
        guard let named = try? RequestURL(resource), named.origin == url.origin else { return false }
        let (above, below) = (path(of: named), path(of: url))
        return below == above || below.hasPrefix(above + "/")
    }

    /// The error for metadata that names another issuer. Many differ only in a final slash, which the text of a URL would hide.
    private static func mismatch(_ issuer: String, _ named: String) -> HTTPClientError {
        guard (issuer + "/").utf8.elementsEqual(named.utf8) || (named + "/").utf8.elementsEqual(issuer.utf8) else {
            return .issuerMismatch("the metadata of \(issuer) is that of \(plain(named) ?? "another issuer")")
        }
        var error = HTTPClientError.issuerMismatch("the metadata of \(issuer) names \(named): the final slash differs")
        error.recoverySuggestion = "write the issuer as its metadata names it"
        return error
    }

    /// The error for metadata that names another resource.
    private static func mismatch(
        _ url: RequestURL, _ named: ProtectedResource, at address: RequestURL
    ) -> HTTPClientError {
        let owner = plain(named.resource).map { "that of \($0)" } ?? "another one's"
        var error = HTTPClientError.discovery("the metadata of \(url.redacted) is \(owner)", at: address)
        error.recoverySuggestion = "name the resource as its metadata does, or name the issuer"
        return error
    }

    /// Returns an untrusted text in a form that can be shown; `nil` if it has none.
    private static func plain(_ text: String) -> String? {
        guard let shown = (try? RequestURL(text))?.redacted else { return nil }
        // An issuer is compared as it is written, and a URL without a path is shown with a slash.
        return shown.hasSuffix("/") && !text.hasSuffix("/") ? String(shown.dropLast()) : shown
    }

    // MARK: Documents

    /// What an address has.
    private enum Finding: Sendable {
        case document(JSONValue)
        case nothing
        /// Something else than a document, such as the page that an application shows at every address.
        case page(HTTPClientError)

        var problem: HTTPClientError? { if case .page(let problem) = self { problem } else { nil } }
    }

    /// Reads the document at `url`.
    private func document(at url: RequestURL, redirects: Int = 0) -> Single<Finding> {
        if url.origin.isExposed, !allowsPlainHTTP {
            return .error(
                HTTPClientError.discovery("metadata would come over plain http from another machine", at: url))
        }
        let request = Request(url: url, headers: [.accept: "application/json"])
        return client.send(request)
            .catch { .error(HTTPClientError.discovery(at: url, failedDueTo: $0)) }
            .flatMap { response in
                switch response.status.code {
                case 200:
                    guard let document = try? JSONValue(response.body) else {
                        return .just(.page(.discovery("what is there is no JSON", at: url)))
                    }
                    return .just(.document(document))
                case 300..<400:
                    guard let next = try Self.target(of: response, from: url) else {
                        return .just(.page(.discovery("it redirects to another origin", at: url)))
                    }
                    guard redirects < Self.redirectLimit else {
                        throw HTTPClientError.discovery("it redirects too often", at: url)
                    }
                    return self.document(at: next, redirects: redirects + 1)
                case 500...:
                    throw HTTPClientError.discovery("the server responded with \(response.status.code)", at: url)
                default: return .just(.nothing)
                }
            }
    }

    /// Returns where the response leads; `nil` for another origin, to which some servers redirect each address that they do not
    /// know.
    private static func target(of response: Response, from url: RequestURL) throws -> RequestURL? {
        guard let location = response.headers[.location], let target = try? url.resolving(location) else {
            throw HTTPClientError.discovery("it redirects nowhere", at: url)
        }
        return target.origin == url.origin ? target : nil
    }
}
