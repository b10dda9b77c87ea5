import FreshetCore
import FreshetHTTP
import HTTPTypes

extension CachedTransfer {
    /// Decides what the caller gets instead of the response to a validation; `nil` if the caller gets the response.
    ///
    /// - Returns: what begins the other response, to be called after the end of this one.
    func replacement(
        of head: HTTPResponse, sentAt: Double, _ stored: CachedResponse, _ key: CacheKey
    ) -> (@Sendable () -> Void)? {
        switch head.status.code {
        case 304 where Self.varyAlike(head, stored) && CacheRules.isTagged(head, as: stored):
            let fresh = confirmed(stored, by: head, sentAt: sentAt)
            return { [self] in
                guard isStorable(fresh, key) else {
                    return serve(fresh, key, .revalidated(head), age: nil) { [cache] in
                        _ = cache.store.remove(stored, for: key).subscribe()
                    }
                }
                after(cache.store.update(fresh, for: key)) { [self] in
                    serve(fresh, key, .revalidated(head), age: nil)
                }
            }
        case 304:
            return { [self] in
                after(cache.store.remove(stored, for: key)) { [self] in forward(key, validating: nil) }
            }
        case _ where request.method == .head && CacheRules.supersedes(head.status):
            // The response to a HEAD has no body to store, but it shows whether the stored response is still valid.
            let fresh = confirmed(stored, by: head, sentAt: sentAt)
            let isConfirmed = CacheRules.describes(head, stored) && Self.varyAlike(head, stored)
            let work =
                isConfirmed && isStorable(fresh, key)
                ? cache.store.update(fresh, for: key) : cache.store.remove(stored, for: key)
            // Delivered afterwards, so the caller's next request finds what is stored now.
            return { [self] in
                after(work) { [self] in
                    receiver.receive(.phase(.cache(.miss)))
                    receiver.receive(.head(head))
                    end(nil)
                }
            }
        case 500, 502, 503, 504:
            guard serveIfServerFailed(stored, key) else { return nil }
            return {}
        default: return nil
        }
    }

    /// Serves a stored response in place of a failure, if that is allowed.
    func serveIfServerFailed(_ stored: CachedResponse, _ key: CacheKey) -> Bool {
        guard let age = CacheDecision.ageIfServerFailed(stored, for: request.headers, at: cache.now()) else {
            return false
        }
        serve(stored, key, .stale(age: age), age: age)
        return true
    }

    /// Whether a confirmation has the `Vary` of the stored response, or none. Otherwise the stored response may belong to another
    /// request.
    private static func varyAlike(_ head: HTTPResponse, _ stored: CachedResponse) -> Bool {
        guard head.headerFields.contains(.vary) else { return true }
        return Vary.names(in: head.headerFields).map(Set.init) == Vary.names(in: stored.head.headerFields).map(Set.init)
    }

    /// Whether a confirmed response stays stored. Its confirmation can forbid that.
    private func isStorable(_ fresh: CachedResponse, _ key: CacheKey) -> Bool {
        CacheRules.isStorable(fresh.head, to: request.headers, isOfLogin: key.owner.isLogin)
    }

    private func confirmed(_ stored: CachedResponse, by head: HTTPResponse, sentAt: Double) -> CachedResponse {
        var fresh = stored
        fresh.head.headerFields = CacheRules.merged(stored.head.headerFields, with: head.headerFields)
        (fresh.requestTime, fresh.responseTime) = (sentAt, cache.now())
        return fresh
    }
}
