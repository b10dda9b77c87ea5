import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Decides what a cache does with each request.
struct CachingTransport: Transport {
    let below: any Transport
    let store: any CacheStore
    let validations: BackgroundValidations
    /// How often the responses of a URL were invalidated.
    let invalidations: BoundedTable<RequestURL, Int>
    /// The wall clock, in seconds since 1970.
    let now: @Sendable () -> Double

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        if CacheRules.isUnsafe(request.method) {
            return ObservableTransport(unprepared: invalidating).transfer(request, to: receiver)
        }
        guard isHandled(request) || CacheControl(request.headers).contains("only-if-cached") else {
            return below.transfer(request, to: receiver)
        }
        return CachedTransfer(request, to: receiver, through: self)
    }

    /// Whether a stored response can be the response to a request. One that may be sent only once is left alone, because a
    /// validation can need a second one.
    func isHandled(_ request: Request) -> Bool {
        (request.method == .get || request.method == .head) && !CacheRules.passes(request.headers)
            && request.transfer?.isLongLived != true && request.body.isEmpty && !request.isOneShot
    }

    func invalidations(of url: RequestURL) -> Int { invalidations.value(for: url, or: 0) }

    /// Removes what a successful request has changed before its response is delivered.
    private func invalidating(_ request: Request, _ receiver: any TransferReceiver) -> Observable<ResponsePart> {
        below.parts(request, for: receiver).concatMap { part -> Observable<ResponsePart> in
            guard case .head(let head) = part else { return .just(part) }
            let urls = CacheRules.changedURLs(by: request, head)
            if urls.isEmpty { return .just(part) }
            for url in urls { invalidations.change(url, or: 0) { $0 += 1 } }
            let removals = urls.map { store.invalidate($0).catchAndReturn(()).asObservable() }
            // Also if the caller cancels before the end of it.
            let removed = AsyncSubject<ResponsePart>()
            _ = Observable.concat(removals).map { part }.subscribe(removed)
            return removed.asObservable()
        }
    }
}
