import FreshetCore

/// An interceptor in its client's chain. An object, for each request asks all of them twice, and to take what can be of any
/// type out of an array is to copy it by asking that type how. One of no interceptor asks nobody.
// Unchecked, as it can be inherited from: it never changes.
class InterceptorLink: @unchecked Sendable {
    final let next: InterceptorLink?

    fileprivate init(before next: InterceptorLink?) {
        self.next = next
    }

    func adaptAtOnce(_ request: inout Request) -> Bool { true }
    func adapt(_ request: Request) -> Single<Request> { .just(request) }
    func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? { nil }

    /// Asks this one and all after it, each right after the other as long as they have nothing to wait for.
    ///
    /// - Returns: what `request` will be, where one of them has to be waited for; else it has become that.
    final func adaptAll(_ request: inout Request) -> Single<Request>? {
        if !adaptAtOnce(&request) {
            let adapted = adapt(request)
            guard let known = adapted.knownSuccess else { return adaptLater(adapted) }
            request = known
        }
        return next?.adaptAll(&request)
    }

    /// What all after this one make of `request`, once it is there.
    private func adaptLater(_ request: Single<Request>) -> Single<Request> {
        guard let next else { return request }
        return next.adaptLater(request.flatMap { next.adapt($0) })
    }

    /// Has all of them watch `attempt`, which keeps what they do that with.
    final func watchAll(_ attempt: RequestInFlight, of request: Request) {
        if let watch = watch(attempt, of: request) { attempt.call.watches.add(watch) }
        next?.watchAll(attempt, of: request)
    }

    static func chain(_ interceptors: [any RequestInterceptor]) -> InterceptorLink {
        let first = interceptors.reversed().reduce(nil) { next, interceptor in link(interceptor, before: next) }
        return first ?? InterceptorLink(before: nil)
    }

    private static func link(_ interceptor: some RequestInterceptor, before next: InterceptorLink?) -> InterceptorLink {
        LinkTo(interceptor, before: next)
    }
}

private final class LinkTo<Interceptor: RequestInterceptor>: InterceptorLink, @unchecked Sendable {
    private let interceptor: Interceptor

    init(_ interceptor: Interceptor, before next: InterceptorLink?) {
        self.interceptor = interceptor
        super.init(before: next)
    }

    override func adaptAtOnce(_ request: inout Request) -> Bool { interceptor.adaptAtOnce(&request) }
    override func adapt(_ request: Request) -> Single<Request> { interceptor.adapt(request) }
    override func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        interceptor.watch(attempt, of: request)
    }
}
