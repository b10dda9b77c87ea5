import FreshetCore
import FreshetHTTP
import HTTPTypes

/// A request that a cache forwards, with conditional fields. It passes the response on, and stores it on the way.
///
/// When more than ``longestQueue`` of the response is in memory, the transport below is paused until the store has caught up.
final class ForwardedRequest: Transfer, ForwardingReceiver {
    private static let longestQueue = 1 << 20

    private let key: CacheKey?
    private let stored: CachedResponse?
    private let exchange: CachedTransfer
    private let state: Locked<ForwardedRequestState>

    var above: any TransferReceiver { exchange.receiver }

    init(_ exchange: CachedTransfer, _ key: CacheKey?, validating stored: CachedResponse?) {
        (self.exchange, self.key, self.stored) = (exchange, key, stored)
        state = Locked(ForwardedRequestState(owner: .assumed(key?.owner)))
        let transfer = exchange.cache.below.transfer(exchange.request, to: self)
        state.withLock { $0.transfer = transfer }
    }

    func start() {
        let (now, invalidations) = (exchange.cache.now(), exchange.cache.invalidations(of: exchange.request.url))
        let transfer = state.withLock { state in
            // A transport that responds without sending anything may omit `willSend`.
            state.sent.at = now
            // Not read in `willSend`: the response can be that of an earlier attempt than the latest one.
            state.invalidations = invalidations
            return state.transfer
        }
        transfer?.start()
    }

    func dispose() {
        let (transfer, writer) = state.withLock { ($0.transfer.take(), $0.writer.take()) }
        writer?.abandon()
        transfer?.dispose()
    }

    func pause() {
        state.withLock { $0.isPaused = true }
        updateTransfer()
    }

    func resume() {
        state.withLock { $0.isPaused = false }
        updateTransfer()
    }

    private func updateTransfer() {
        state.withLock { $0.transfer }?.pauseOrResume { state.withLock { $0.mustPause } }
    }

    // MARK: The request

    func prepare(_ request: inout Request) -> Adaptation {
        switch above.prepare(&request) {
        case .ready:
            return condition(&request)
        case .waiting(let prepared):
            return .waiting(
                prepared.flatMap { [self] prepared in
                    var request = prepared
                    return switch condition(&request) {
                    case .ready: .just(request)
                    case .waiting(let conditioned): conditioned
                    }
                })
        }
    }

    /// Adds the validators, unless the request now carries the credential of another account or goes to another URL.
    private func condition(_ request: inout Request) -> Adaptation {
        switch owner(ofFinal: request) {
        case .ready(let owner):
            condition(&request, of: owner)
            return .ready
        case .waiting(let owner):
            return .waiting(
                owner.map { [self, request] owner in
                    var request = request
                    condition(&request, of: owner)
                    return request
                })
        }
    }

    private func owner(ofFinal request: Request) -> OwnerResolution {
        above.owner(of: exchange.request, with: above.account(of: request), preparedAs: request)
    }

    private func condition(_ request: inout Request, of owner: PartitionKey?) {
        state.withLock { $0.owner.set(owner) }
        guard let stored, owner == key?.owner, request.url == exchange.request.url, !CacheRules.passes(request.headers)
        else { return state.withLock { $0.isConditional = false } }
        request.headers[.ifNoneMatch] = stored.head.headerFields[.eTag]
        request.headers[.ifModifiedSince] = stored.head.headerFields[.lastModified]
        setConditional(by: request.headers)
    }

    private func setConditional(by sent: HTTPFields) {
        let isConditional = stored.map { CacheRules.validates(sent, $0) } ?? false
        state.withLock { $0.isConditional = isConditional }
    }

    func willSend(_ request: Request) {
        let sent = ForwardedRequestState.Sent(
            fields: request.headers, at: exchange.cache.now(), isElsewhere: request.url != exchange.request.url)
        state.withLock { $0.sent = sent }
        // A layer that sends one request for several callers may have prepared that of another caller.
        setConditional(by: request.headers)
        if case .ready(let owner) = owner(ofFinal: request) { state.withLock { $0.owner.set(owner) } }
        above.willSend(request)
    }

    // MARK: The response

    func receive(_ part: consuming ResponsePart) {
        switch part {
        case .head(let head): receive(head)
        case .body(let bytes): receive(bytes)
        default:
            if !state.withLock({ $0.isReplaced }) { above.receive(part) }
        }
    }

    private func receive(_ head: HTTPResponse) {
        guard let key else { return above.receive(.head(head)) }
        let state = self.state.withLock { $0 }
        if state.isOfLookup(key) { exchange.cache.validations.record(head.status, for: key) }
        if state.isOfLookup(key), let stored, state.isConditional || head.status != .notModified,
            let replacement = exchange.replacement(of: head, sentAt: state.sent.at, stored, key)
        {
            return respond(.replaced(afterEnd: replacement))
        }
        if state.isConditional, head.status == .notModified {
            // It confirms the stored response to another account than that of the lookup.
            return respond(.replaced(afterEnd: { [exchange] in exchange.forward(nil, validating: nil) }))
        }
        respond(.passed(superseding: state.isOfLookup(key) && CacheRules.supersedes(head.status) ? stored : nil))
        if !state.sent.isElsewhere, let owner = state.owner.key,
            let response = storable(head, to: state.sent.fields ?? exchange.request.headers, state.sent.at, of: owner)
        {
            let writer = exchange.cache.store.writer(of: response, for: CacheKey(url: key.url, owner: owner))
            self.state.withLock { $0.writer = writer }
        }
        above.receive(.phase(.cache(.miss)))
        above.receive(.head(head))
    }

    private func respond(_ response: ForwardedRequestState.Response) { state.withLock { $0.response = response } }

    /// The response as it is stored; `nil` if it is not.
    private func storable(
        _ head: HTTPResponse, to sent: HTTPFields, _ sentAt: Double, of owner: PartitionKey
    ) -> CachedResponse? {
        guard exchange.request.method == .get,
            // An interceptor can add a directive, or replace that of the caller.
            [exchange.request.headers, sent].allSatisfy({ request in
                CacheRules.isStorable(head, to: request, isOfLogin: owner.isLogin)
            }),
            let names = Vary.names(in: head.headerFields),
            // The coding that an interceptor asks for is not among the fields by which a stored response is chosen.
            sent[.acceptEncoding] == exchange.request.headers[.acceptEncoding]
                || !head.headerFields.contains(.contentEncoding)
        else { return nil }
        var kept = head
        kept.headerFields = CacheRules.storedFields(head.headerFields)
        var selectors = Vary.selectors(names, of: sent)
        // The transport has not decoded this body, because the request says how it is to be coded. Some servers omit that in `Vary`.
        if selectors.keys.contains("accept-encoding") || head.headerFields.contains(.contentEncoding) {
            selectors.merge(Vary.selectors(["accept-encoding"], of: exchange.request.headers)) { $1 }
        }
        return CachedResponse(
            id: "", head: kept, requestTime: sentAt, responseTime: exchange.cache.now(), selectors: selectors,
            bodyLength: 0)
    }

    private func receive(_ bytes: [UInt8]) {
        let (writer, isReplaced, mustHold) = state.withLock { state in
            if state.writer != nil { state.queued += bytes.count }
            let mustHold = state.queued > Self.longestQueue && !state.isHeld
            if mustHold { state.isHeld = true }
            return (state.writer, state.isReplaced, mustHold)
        }
        if isReplaced { return }
        if mustHold { updateTransfer() }
        writer?.append(bytes) { [self] in written(bytes.count) }
        above.receive(.body(bytes))
    }

    private func written(_ count: Int) {
        let isReleased = state.withLock { state in
            state.queued -= count
            guard state.isHeld, state.queued < Self.longestQueue / 2 else { return false }
            state.isHeld = false
            return true
        }
        if isReleased { updateTransfer() }
    }

    func receiveEnd(_ failure: (any Error)?) {
        let (writer, state) = self.state.withLock { state in
            state.transfer = nil
            return (state.writer.take(), state)
        }
        switch state.response {
        case .replaced(let next): next()
        case .awaited:
            if failure != nil, let stored, let key, state.isOfLookup(key), exchange.serveIfServerFailed(stored, key) {
                return
            }
            exchange.end(failure)
        case .passed(let superseded):
            if let failure {
                writer?.abandon()
                return exchange.end(failure)
            }
            guard let writer else { return end(removing: superseded) }
            // Otherwise other requests would find the response until it is removed again.
            if isFromBeforeChange(state) {
                writer.abandon()
                return end(removing: superseded)
            }
            writer.finish { [self] in
                guard isFromBeforeChange(state) else { return end(removing: superseded) }
                // The change has come while the response was being stored.
                exchange.after(exchange.cache.store.invalidate(exchange.request.url)) { [exchange] in
                    exchange.end(nil)
                }
            }
        }
    }

    /// Whether a response can be older than a change of its URL.
    private func isFromBeforeChange(_ state: ForwardedRequestState) -> Bool {
        exchange.cache.invalidations(of: exchange.request.url) != state.invalidations
    }

    /// Ends the transfer when the next request finds what this one has stored, and not what it has superseded.
    private func end(removing superseded: CachedResponse?) {
        guard let superseded, let key else { return exchange.end(nil) }
        exchange.after(exchange.cache.store.remove(superseded, for: key)) { [exchange] in exchange.end(nil) }
    }
}
