public import FreshetCore
import HTTPTypes

/// Whether an adapter has finished with a request.
public enum Adaptation: Sendable {
    /// The adapter has finished, and the request is sent as the adapter left it.
    case ready
    /// The adapter needs time. The single emits the request to send; its error ends the request.
    case waiting(Single<Request>)

    /// Ends the request with `error` instead of sending it.
    public static func failed(_ error: any Error) -> Adaptation { .waiting(.error(error)) }
}

extension Array<any RequestInterceptor> {
    /// Asks each interceptor in turn to adapt `request`. If one needs time, those after it are asked when it has finished.
    ///
    /// An interceptor puts a credential on the request for the origin that it sees. If a later one changes the origin, the
    /// request fails.
    func adapt(_ request: inout Request) -> Adaptation {
        if count == 1 { return self[0].adapt(&request) }
        let given = request
        return self[...].adapt(&request, given: given)
    }
}

extension ArraySlice<any RequestInterceptor> {
    /// - Parameter given: the request before all adapters.
    fileprivate func adapt(_ request: inout Request, given: Request) -> Adaptation {
        for index in indices {
            // Without the request itself, which the adapter could then change only in a copy.
            let boundOrigin = request.hasCredential(besidesThoseOf: given) ? request.url.origin : nil
            switch self[index].adapt(&request) {
            case .ready:
                if let failure = request.failure(ifBoundTo: boundOrigin) { return .failed(failure) }
            case .waiting(let adapted):
                let others = self[(index + 1)...]
                return .waiting(
                    adapted.flatMap { adapted in
                        if let failure = adapted.failure(ifBoundTo: boundOrigin) { return .error(failure) }
                        var request = adapted
                        return switch others.adapt(&request, given: given) {
                        case .ready: .just(request)
                        case .waiting(let adapted): adapted
                        }
                    })
            }
        }
        return .ready
    }
}

extension Request {
    /// Whether the fields or the query have a credential that `given` does not have. The tag of an earlier attempt is in both.
    fileprivate func hasCredential(besidesThoseOf given: Request) -> Bool {
        let names = tags[PlacedSecrets.self]?.names ?? []
        let isInFields = headers.contains { field in
            (field.name == .authorization || field.name == .cookie || names.contains(field.name.canonicalName))
                && !given.headers.contains(field)
        }
        if isInFields || names.isEmpty || url.query == given.url.query { return isInFields }
        let known = Set(given.url.query?.split(separator: "&") ?? [])
        return url.query?.split(separator: "&").contains { item in
            !known.contains(item) && names.contains(String(item.prefix { $0 != "=" }))
        } ?? false
    }

    /// The error of a request that has left the origin for which it has a credential.
    fileprivate func failure(ifBoundTo origin: Origin?) -> HTTPClientError? {
        guard let origin, origin != url.origin else { return nil }
        return HTTPClientError(
            .invalidRequest, phase: .preparing, origin: url.origin.description,
            message: "an interceptor has changed the origin of a request that has a credential for \(origin)",
            recoverySuggestion: "put that interceptor before the one that sets the credential", isUnsent: true)
    }
}
