import Foundation
import Freshet

/// Finds the authorization server of a profile: from the profile itself, from the cache, or by discovery.
struct ServerLocator {
    /// How long the metadata in the cache is used without another request, in seconds. Older metadata is used if the request fails.
    private static let lifetime = 86_400.0

    let runtime: FreshetRuntime
    /// The file in which metadata is kept, keyed by issuer; `nil` keeps nothing.
    let cachePath: String?
    let allowsPlainHTTP: Bool
    private let asksAnew: Bool
    /// The endpoints that the profile names.
    private let tokenURL: RequestURL?
    private let revocationURL: RequestURL?

    init(_ profile: Profile, on runtime: FreshetRuntime) {
        self.runtime = runtime
        cachePath = profile.store.discoveryPath
        allowsPlainHTTP = profile.allowsPlainHTTP
        asksAnew = profile.isRecorded
        tokenURL = if case .oauth(let url, _, _)? = profile.refresh?.call { url } else { nil }
        revocationURL = profile.refresh?.revokeURL
    }

    private var discovery: Discovery { Discovery(client: runtime.refreshClient, allowsPlainHTTP: allowsPlainHTTP) }

    /// The server of `login`. Endpoints that the profile names replace those that were found.
    func server(of login: ProfileLogin) throws -> (server: AuthorizationServer, resource: ProtectedResource?) {
        var server = AuthorizationServer(issuer: login.issuer ?? "")
        var resource: ProtectedResource?
        if let address = login.discover, login.issuer == nil {
            let found = try result(of: resourceMetadata(at: RequestURL(address)))
            guard let issuer = found.authorizationServers.first else {
                throw HTTPClientError(
                    .discovery, phase: .receiving, message: "\(found.resource) names no authorization server",
                    recoverySuggestion: "give its issuer with --issuer")
            }
            resource = found
            server = try cachedServer(issuer, as: "\(found.resource) \(issuer)", or: discovery.server(of: found))
        } else if let issuer = login.issuer {
            server = try cachedServer(issuer, as: issuer, or: discovery.server(issuer: issuer))
        }
        server.authorizationEndpoint = login.authorizationURL ?? server.authorizationEndpoint
        server.deviceAuthorizationEndpoint = login.deviceURL ?? server.deviceAuthorizationEndpoint
        server.tokenEndpoint = tokenURL ?? server.tokenEndpoint
        server.revocationEndpoint = revocationURL ?? server.revocationEndpoint
        return (server, resource)
    }

    /// Finds the metadata of the resource at `url`. The server may name the address of the metadata in the challenge of its
    /// response.
    private func resourceMetadata(at url: RequestURL) throws -> Single<ProtectedResource> {
        let discovery = discovery
        var configuration = runtime.client.configuration
        configuration.redirectLimit = 0
        return runtime.client.with(interceptors: [], configuration: configuration).send(Request(url: url))
            .map { response in
                AuthenticationChallenge.all(in: response.headers).first { $0["resource_metadata"] != nil }
            }
            .catch { _ in .just(nil) }
            .flatMap { discovery.resource(at: url, challenge: $0) }
    }

    /// - Parameters:
    ///   - name: the name of the server in the cache. A resource may not name every server.
    ///   - discovered: finds the server if the cache has no new metadata of it.
    private func cachedServer(
        _ issuer: String, as name: String, or discovered: Single<AuthorizationServer>
    ) throws -> AuthorizationServer {
        let now = WallClock.secondsSince1970()
        var cache = readCache()
        var known: AuthorizationServer?
        if case .object(let entry)? = cache[name], case .number(let time)? = entry["time"],
            let metadata = entry["metadata"], let server = try? AuthorizationServer(metadata),
            server.issuer.utf8.elementsEqual(issuer.utf8)
        {
            if !asksAnew, abs(now - Double(time)) < Self.lifetime { return server }
            known = server
        }
        let server: AuthorizationServer
        do {
            server = try result(of: discovered)
        } catch let error as HTTPClientError where error.code != .issuerMismatch {
            // Valid tokens work on while the server's metadata can't be had.
            guard let known else { throw error }
            return known
        }
        if let document = server.document {
            cache[name] = .object(["time": .number(JSONNumber(now.rounded())), "metadata": document])
            writeCache(cache)
        }
        return server
    }

    private func readCache() -> [String: JSONValue] {
        guard let cachePath, let file = FileHandle(forReadingAtPath: cachePath) else { return [:] }
        var status = stat()
        // Another user's file could name endpoints that collect the tokens of this one.
        guard fstat(file.fileDescriptor, &status) == 0, [0, geteuid()].contains(status.st_uid),
            let data = try? file.readToEnd(), case .object(let members)? = try? JSONValue(Array(data))
        else { return [:] }
        return members
    }

    /// Writes the cache. A failure is ignored, because the next login then runs the discovery again.
    private func writeCache(_ cache: [String: JSONValue]) {
        guard let cachePath, let bytes = try? JSONValue.object(cache).encoded() else { return }
        let directory = (cachePath as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? Data(bytes).write(to: URL(filePath: cachePath), options: .atomic)
    }
}
