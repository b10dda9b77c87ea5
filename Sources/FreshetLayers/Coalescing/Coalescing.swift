import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Sends identical requests that run at the same time as one request.
///
/// GET and HEAD requests of one account are identical if they have the same URL and header fields after all interceptors have
/// adapted them, apart from fields such as `traceparent` that each request has for itself, and if the same `CookieJar` keeps the
/// cookies of their responses. The interceptors adapt each request to compare it. They adapt the request that is sent once more
/// when it leaves the queue, because its credential may have changed. So it is signed twice, and `ClientMonitor.willSend` is
/// called twice.
///
/// A request can join until the head of the response arrives, and none joins a request from before a successful unsafe request
/// to its URL. Each caller has its own timeout, pause and end: a caller that cancels leaves the request running for the others,
/// and the last one cancels it. A failure goes to all callers, and their retries can join one request again. A caller that reads
/// slowly gets its parts later; when all callers pause, the connection is paused. Requests with a range, a body, `no-cache` or
/// `no-store`, those with long-lived responses, and those that are `isOneShot`, are never shared.
public struct Coalescing: TransportLayer {
    public init() {}

    public func wrapping(_ transport: any Transport) -> any Transport {
        let table = SharedRequests()
        return ObservableTransport(unprepared: { request, receiver in
            if CacheRules.isUnsafe(request.method) {
                return transport.parts(request, for: receiver).do(onNext: { part in
                    if case .head(let head) = part { table.close(CacheRules.changedURLs(by: request, head)) }
                })
            }
            guard Self.isShareable(request) else { return transport.parts(request, for: receiver) }
            return request.prepared(by: receiver).asObservable().flatMap { final in
                receiver.withOwner(of: request, preparedAs: final) { owner in
                    guard let owner, Self.isShareable(final) else { return transport.parts(request, for: receiver) }
                    return table.parts(for: receiver, matching: final, of: owner, sending: request, over: transport)
                }
            }
        })
    }

    private static func isShareable(_ request: Request) -> Bool {
        guard request.method == .get || request.method == .head, request.body.isEmpty,
            request.transfer?.isLongLived != true, !request.headers.contains(.range), request.isResendable,
            !request.isOneShot
        else { return false }
        let control = CacheControl(request.headers)
        return !control.contains("no-cache") && !control.contains("no-store")
    }
}

/// The requests that others can join.
private final class SharedRequests: Sendable {
    private struct Key: Hashable {
        let method: HTTPRequest.Method
        let url: String
        let owner: PartitionKey
        let headers: HTTPFields
        let options: TransferOptions
        let jars: CookieJars?
    }

    /// Fields that each request has for itself. The owner stands for `Authorization`, because tokens rotate.
    private static let ownFields: Set = [
        "authorization", "dpop", "traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid",
        "uber-trace-id", "x-amzn-trace-id", "x-cloud-trace-context", "x-request-id", "x-correlation-id",
        "sentry-trace", "baggage",
    ]

    private static func isOwn(_ name: String) -> Bool { ownFields.contains(name) || name.hasPrefix("x-datadog-") }

    private let requests = Locked<[Key: SharedRequest]>([:])

    /// The response to a request that `caller` joins or begins.
    ///
    /// - Parameters:
    ///   - final: the request as it would be sent now.
    ///   - request: what is sent, and made final again for that, if there is no request to join.
    func parts(
        for caller: any TransferReceiver, matching final: Request, of owner: PartitionKey, sending request: Request,
        over transport: any Transport
    ) -> Observable<ResponsePart> {
        let headers = HTTPFields(final.headers.filter { !Self.isOwn($0.name.canonicalName) })
        let key = Key(
            method: final.method, url: final.url.absoluteString, owner: owner, headers: headers,
            options: final.transfer ?? TransferOptions(), jars: final.tags[CookieJars.self])
        return .create { [self] observer in
            while true {
                // The request can close before the caller has joined it. It has left the table then.
                let shared = self.request(for: key, sending: request, over: transport)
                if let membership = shared.join(caller, with: final.tags, observer) { return membership }
            }
        }
    }

    private func request(for key: Key, sending request: Request, over transport: any Transport) -> SharedRequest {
        requests.withLock { requests in
            if let shared = requests[key] { return shared }
            let shared = SharedRequest(request, over: transport) { [weak self] closed in
                self?.requests.withLock { requests in
                    // A newer request may have taken the entry in the meantime.
                    if requests[key] === closed { requests[key] = nil }
                }
            }
            requests[key] = shared
            return shared
        }
    }

    /// Lets no other request join those to these URLs, whose responses can be older than a change.
    func close(_ urls: [RequestURL]) {
        if urls.isEmpty { return }
        requests.withLock { requests in
            requests = requests.filter { !urls.contains($0.value.request.url) }
        }
    }
}
