import FreshetCore
import FreshetHTTP
import HTTPTypes

/// A request that a cache forwards, with conditional fields. It also stores the response.
// Unchecked: the lock guards the mutable state.
final class ForwardedRequest: TransferReceiver {
    /// What the caller gets after the head of a response has arrived.
    enum ResponseDisposition: Sendable {
        /// The caller gets the response.
        case pass
        /// The caller gets the response after this work.
        case after(Observable<Void>)
        /// The caller gets these parts instead of the response.
        case replace(Observable<ResponsePart>)
    }

    private struct State: Sendable {
        var sent: Request?
        var sentAt = 0.0
        var hasResponse = false
        /// The account of the request when it was sent.
        var owner: PartitionKey?
    }

    private let exchange: CachedExchange
    private let key: CacheKey
    private let stored: CachedResponse?
    private let state = Locked(State())

    init(_ exchange: CachedExchange, _ key: CacheKey, validating stored: CachedResponse?) {
        self.exchange = exchange
        self.key = key
        self.stored = stored
    }

    var hasResponse: Bool { state.withLock { $0.hasResponse } }
    var sentAt: Double { state.withLock { $0.sentAt } }

    /// Emits the response of `transport`, or the parts that replace it, and stores the response on the way.
    func parts(_ transport: any Transport) -> Observable<ResponsePart> {
        let response = transport.parts(exchange.request, for: self)
        return .create { observer in
            let storing = StoringObserver(self, observer)
            storing.begin(response)
            return storing
        }
    }

    /// Returns what the caller gets after this head, and the response to store, if it is stored.
    func received(_ head: HTTPResponse) -> (ResponseDisposition, (CachedResponse, CacheKey)?) {
        state.withLock { $0.hasResponse = true }
        let (sent, sentAt, owner) = state.withLock { ($0.sent ?? exchange.request, $0.sentAt, $0.owner ?? key.owner) }
        if owner == key.owner {
            let course = exchange.responded(head, to: self, key, stored)
            if case .pass = course {} else { return (course, nil) }
        }
        guard exchange.request.method == .get, sent.url == exchange.request.url,
            CacheRules.isStorable(head, to: exchange.request.headers, isOfLogin: owner.isLogin),
            let names = Vary.names(in: head.headerFields)
        else { return (.pass, nil) }
        var kept = head
        kept.headerFields = CacheRules.storedFields(head.headerFields)
        var selectors = Vary.selectors(names, of: sent.headers)
        if selectors.keys.contains("accept-encoding") {
            selectors.merge(Vary.selectors(["accept-encoding"], of: exchange.request.headers)) { $1 }
        }
        let response = CachedResponse(
            id: "", head: kept, requestTime: sentAt, responseTime: exchange.now(), selectors: selectors, bodyLength: 0)
        return (.pass, (response, CacheKey(url: key.url, owner: owner)))
    }

    func writer(of response: CachedResponse, _ key: CacheKey) -> any CacheWriter {
        exchange.store.writer(of: response, for: key)
    }

    // MARK: Receiving

    func prepare(_ request: inout Request) -> Adaptation {
        switch exchange.receiver.prepare(&request) {
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

    /// Adds the validators, unless the request now carries the credential of another account.
    private func condition(_ request: inout Request) -> Adaptation {
        switch exchange.receiver.account(of: request) {
        case .ready(let account):
            condition(&request, of: account)
            return .ready
        case .waiting(let account):
            return .waiting(
                account.map { [self, request] account in
                    var request = request
                    condition(&request, of: account)
                    return request
                })
        }
    }

    private func condition(_ request: inout Request, of account: RequestAccount?) {
        let owner = PartitionKey(account, of: exchange.request)
        state.withLock { $0.owner = owner }
        guard owner == key.owner, let stored, !CacheRules.passes(request.headers) else { return }
        request.headers[.ifNoneMatch] = stored.head.headerFields[.eTag]
        request.headers[.ifModifiedSince] = stored.head.headerFields[.lastModified]
    }

    func account(of request: Request) -> AccountResolution { exchange.receiver.account(of: request) }

    func willSend(_ request: Request) {
        state.withLock { state in
            state.sent = request
            state.sentAt = exchange.now()
        }
        exchange.receiver.willSend(request)
    }

    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) {}
}
