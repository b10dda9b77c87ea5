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
    /// The end of the login for which the server is looked for; `nil` without a limit.
    private let deadline: LoginDeadline?
    /// The endpoints that the profile names.
    private let tokenURL: RequestURL?
    private let revocationURL: RequestURL?

    init(_ profile: Profile, on runtime: FreshetRuntime, until deadline: LoginDeadline? = nil) {
        self.runtime = runtime
        self.deadline = deadline
        cachePath = profile.store.discoveryPath
        allowsPlainHTTP = profile.allowsPlainHTTP
        asksAnew = profile.isRecorded
        tokenURL = if case .oauth(let url, _, _)? = profile.refresh?.call { url } else { nil }
        revocationURL = profile.refresh?.revokeURL
    }

    private var discovery: Discovery { Discovery(client: runtime.refreshClient, allowsPlainHTTP: allowsPlainHTTP) }

    /// The server of `login`. Endpoints that the profile names replace those that were found.
    func server(of login: ProfileLogin) -> Single<(server: AuthorizationServer, resource: ProtectedResource?)> {
        .deferred {
            if let issuer = login.issuer {
                return cachedServer(issuer, as: issuer, or: discovery.server(issuer: issuer)).map { ($0, nil) }
            }
            guard let address = login.discover else { return .just((AuthorizationServer(issuer: ""), nil)) }
            let found = try resourceMetadata(at: RequestURL(address))
            let bounded = deadline?.bound(found, named: "the metadata of the resource", at: address) ?? found
            return bounded.flatMap { resource in
                guard let issuer = resource.authorizationServers.first else {
                    throw HTTPClientError(
                        .discovery, phase: .receiving, message: "\(resource.resource) names no authorization server",
                        recoverySuggestion: "give its issuer with --issuer")
                }
                let name = "\(resource.resource) \(issuer)"
                return cachedServer(issuer, as: name, or: discovery.server(of: resource)).map { ($0, resource) }
            }
        }.map { (completed($0, by: login), $1) }
    }

    private func completed(_ found: AuthorizationServer, by login: ProfileLogin) -> AuthorizationServer {
        var server = found
        server.authorizationEndpoint = login.authorizationURL ?? server.authorizationEndpoint
        server.deviceAuthorizationEndpoint = login.deviceURL ?? server.deviceAuthorizationEndpoint
        server.tokenEndpoint = tokenURL ?? server.tokenEndpoint
        server.revocationEndpoint = revocationURL ?? server.revocationEndpoint
        return server
    }

    /// Finds the metadata of the resource at `url`. The server may name the address of the metadata in the challenge of its
    /// response.
    private func resourceMetadata(at url: RequestURL) throws -> Single<ProtectedResource> {
        let discovery = discovery
        var configuration = runtime.refreshClient.configuration
        configuration.redirectLimit = 0
        // A recording has what this client sends.
        return runtime.refreshClient.with(interceptors: [], configuration: configuration).send(Request(url: url))
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
    ) -> Single<AuthorizationServer> {
        let found = knownServer(issuer, as: name, or: discovered)
        return deadline?.bound(found, named: "the metadata of the authorization server", at: issuer) ?? found
    }

    private func knownServer(
        _ issuer: String, as name: String, or discovered: Single<AuthorizationServer>
    ) -> Single<AuthorizationServer> {
        .deferred {
            let known = cached(issuer, as: name)
            if let known, !asksAnew, abs(WallClock.secondsSince1970() - known.time) < Self.lifetime {
                return .just(known.server)
            }
            return discovered.do(onSuccess: { keep($0, as: name) }).catch { error in
                // Tokens are refreshed while the server's metadata can't be had.
                guard let known, (error as? HTTPClientError)?.code != .issuerMismatch else { return .error(error) }
                return .just(known.server)
            }
        }
    }

    private func cached(_ issuer: String, as name: String) -> (server: AuthorizationServer, time: Double)? {
        guard case .object(let entry)? = readCache()[name], case .number(let time)? = entry["time"],
            let metadata = entry["metadata"], let server = try? AuthorizationServer(metadata),
            server.issuer.utf8.elementsEqual(issuer.utf8)
        else { return nil }
        return (server, Double(time))
    }

    private func keep(_ server: AuthorizationServer, as name: String) {
        guard let document = server.document else { return }
        var cache = readCache()
        let now = JSONNumber(WallClock.secondsSince1970().rounded())
        cache[name] = .object(["time": .number(now), "metadata": document])
        writeCache(cache)
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
