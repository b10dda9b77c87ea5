import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One request to a cache, and its response.
struct CachedExchange: Sendable {
    let request: Request
    let receiver: any TransferReceiver
    let below: any Transport
    let store: any CacheStore
    let validations: BackgroundValidations
    let now: @Sendable () -> Double

    /// Emits the response, from the store or from the transport below.
    var parts: Observable<ResponsePart> {
        if CacheRules.isUnsafe(request.method) { return invalidating(below.parts(request, for: receiver)) }
        guard request.method == .get || request.method == .head, !CacheRules.passes(request.headers),
            request.transfer?.isLongLived != true, request.body == .empty
        else { return below.parts(request, for: receiver) }
        return receiver.withOwner(of: request) { owner in
            guard let owner else { return below.parts(request, for: receiver) }
            let key = CacheKey(url: request.url.absoluteString, owner: owner)
            return store.responses(for: key).catchAndReturn([]).asObservable().flatMap { respond(to: key, with: $0) }
        }
    }

    // MARK: Choosing

    /// Responds with the latest of the stored responses that was selected by the same fields as this request.
    private func respond(to key: CacheKey, with responses: [CachedResponse]) -> Observable<ResponsePart> {
        // Adapters can set any field except these, so the choice needs the final request.
        guard responses.allSatisfy({ $0.selectors.keys.allSatisfy { $0 == "accept-encoding" } }) else {
            return prepared().asObservable().flatMap { respond(to: key, with: first(of: responses, selectedBy: $0)) }
        }
        return respond(to: key, with: first(of: responses, selectedBy: request))
    }

    private func first(of responses: [CachedResponse], selectedBy request: Request) -> CachedResponse? {
        responses.first { Vary.matches($0.selectors, request.headers, by: store.fingerprint) }
    }

    private func prepared() -> Single<Request> {
        .deferred {
            var request = request
            return switch receiver.prepare(&request) {
            case .ready: .just(request)
            case .waiting(let prepared): prepared
            }
        }
    }

    private func respond(to key: CacheKey, with stored: CachedResponse?) -> Observable<ResponsePart> {
        let asked = CacheControl(request.headers)
        guard let stored, !asked.contains("no-store") else {
            return asked.contains("only-if-cached") ? Self.unsatisfiable : forward(key, validating: nil)
        }
        switch CacheDecision(stored, for: request.headers, at: now()) {
        case .fresh(let age): return serve(stored, key, .hit(age: age), age)
        case .stale(let age): return serve(stored, key, .stale(age: age), age)
        case .staleWhileRevalidating(let age):
            return .deferred {
                let response = serve(stored, key, .stale(age: age), age)
                guard validations.begin(key) else { return response }
                // Afterwards, for the validation can replace the body.
                return response.do(onDispose: { validateInBackground(stored, key) })
            }
        case .validate: return forward(key, validating: stored)
        case .unsatisfiable: return Self.unsatisfiable
        }
    }

    private static var unsatisfiable: Observable<ResponsePart> {
        .of(.phase(.cache(.unsatisfiable)), .head(HTTPResponse(status: .gatewayTimeout)))
    }

    // MARK: From the store

    /// - Parameter age: in seconds; `nil` leaves the field as it was stored.
    private func serve(
        _ stored: CachedResponse, _ key: CacheKey, _ status: CacheStatus, _ age: Int?
    ) -> Observable<ResponsePart> {
        var head = stored.head
        if let age { head.headerFields[.age] = String(age) }
        let start = Observable<ResponsePart>.of(.phase(.cache(status)), .head(head))
        guard request.method == .get else { return start }
        return store.body(of: stored, for: key).map { .body($0) }.startWithFirst(start)
            .catch { _ in
                // The body was damaged, or another process has removed it. None of it was delivered.
                store.remove(stored, for: key).catchAndReturn(()).asObservable().flatMap { _ in
                    forward(key, validating: nil)
                }
            }
    }

    // MARK: From below

    private func forward(_ key: CacheKey, validating stored: CachedResponse?) -> Observable<ResponsePart> {
        let forwarded = ForwardedRequest(self, key, validating: stored)
        guard let stored else { return forwarded.parts(below) }
        return forwarded.parts(below).catch { error in
            guard !forwarded.hasResponse,
                let age = CacheDecision.ageIfServerFailed(stored, for: request.headers, at: now())
            else { return .error(error) }
            return serve(stored, key, .stale(age: age), age)
        }
    }

    /// Decides what the caller gets after the server has sent `head`.
    func responded(
        _ head: HTTPResponse, to forwarded: ForwardedRequest, _ key: CacheKey, _ stored: CachedResponse?
    ) -> ForwardedRequest.ResponseDisposition {
        guard let stored else { return .pass }
        switch head.status.code {
        case 304:
            guard
                Vary.names(in: head.headerFields).map({
                    Set($0) == Vary.names(in: stored.head.headerFields).map(Set.init)
                })
                    != false || !head.headerFields.contains(.vary)
            else { return .replace(remove(stored, key).concat(forward(key, validating: nil))) }
            var fresh = stored
            fresh.head.headerFields = CacheRules.merged(stored.head.headerFields, with: head.headerFields)
            (fresh.requestTime, fresh.responseTime) = (forwarded.sentAt, now())
            let updated = store.update(fresh, for: key).catchAndReturn(()).asObservable()
            return .replace(updated.flatMap { [fresh] in serve(fresh, key, .revalidated(head), nil) })
        case 200 where request.method == .head:
            // The response to a HEAD has no body to store, but it shows whether the stored response is still valid.
            return .after(described(by: head, stored, forwarded, key))
        case 500, 502, 503, 504:
            guard let age = CacheDecision.ageIfServerFailed(stored, for: request.headers, at: now()) else {
                return .pass
            }
            return .replace(serve(stored, key, .stale(age: age), age))
        default: return .pass
        }
    }

    private func described(
        by head: HTTPResponse, _ stored: CachedResponse, _ forwarded: ForwardedRequest, _ key: CacheKey
    ) -> Observable<Void> {
        guard CacheRules.describes(head, stored) else { return store.remove(stored, for: key).asObservable() }
        var fresh = stored
        fresh.head.headerFields = CacheRules.merged(stored.head.headerFields, with: head.headerFields)
        (fresh.requestTime, fresh.responseTime) = (forwarded.sentAt, now())
        return store.update(fresh, for: key).asObservable()
    }

    private func remove(_ stored: CachedResponse, _ key: CacheKey) -> Observable<ResponsePart> {
        store.remove(stored, for: key).catchAndReturn(()).asObservable().flatMap { _ in Observable<ResponsePart>.empty()
        }
    }

    /// Continues after the caller has disposed of its subscription, and gets a credential of its own.
    private func validateInBackground(_ stored: CachedResponse, _ key: CacheKey) {
        // A failure leaves the stale response, and the next request tries again.
        _ = ForwardedRequest(self, key, validating: stored).parts(below)
            .do(onDispose: { [validations] in validations.end(key) }).subscribe(onError: { _ in })
    }

    // MARK: Other methods

    /// Source: RFC 9111 section 4.4.
    private func invalidating(_ parts: Observable<ResponsePart>) -> Observable<ResponsePart> {
        parts.concatMap { part -> Observable<ResponsePart> in
            guard case .head(let head) = part, (200..<400).contains(head.status.code) else { return .just(part) }
            let others = [head.headerFields[.location], head.headerFields[.contentLocation]].compactMap { text in
                text.flatMap { try? request.url.resolving($0) }
            }
            let urls = [request.url] + others.filter { $0.origin == request.url.origin }
            let removals = urls.map { store.invalidate($0.absoluteString).catchAndReturn(()).asObservable() }
            return Observable.concat(removals).flatMap { _ in Observable<ResponsePart>.empty() }.concat(
                Observable.just(part))
        }
    }
}

extension ObservableType where Element: Sendable {
    /// Emits `start` before the first element, or before the completion. If an error comes first, it is the only event.
    fileprivate func startWithFirst(_ start: Observable<Element>) -> Observable<Element> {
        let hasStarted = Locked(false)
        return map { Optional($0) }.concat(Observable.just(nil)).concatMap { element -> Observable<Element> in
            let isFirst = hasStarted.withLock { started in
                defer { started = true }
                return !started
            }
            let rest = element.map { Observable.just($0) } ?? .empty()
            return isFirst ? start.concat(rest) : rest
        }
    }
}
