import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One request to a cache. The response comes from the store or from the transport below.
final class CachedTransfer: Transfer {
    let cache: CachingTransport
    let request: Request
    let receiver: any TransferReceiver
    /// The step that runs: a lookup, a request to the transport below, or a body that is read.
    private let step = SerialDisposable()

    init(_ request: Request, to receiver: any TransferReceiver, through cache: CachingTransport) {
        (self.request, self.receiver, self.cache) = (request, receiver, cache)
    }

    func start() {
        // The request wants nothing but a stored response.
        guard cache.isHandled(request) else { return fail() }
        switch receiver.owner(of: request, with: receiver.account(of: request)) {
        case .ready(let owner): lookUp(for: owner)
        case .waiting(let owner): run(owner) { [self] in lookUp(for: $0) }
        }
    }

    func dispose() { step.dispose() }
    func pause() { step.pause() }
    func resume() { step.resume() }

    func end(_ failure: (any Error)?) {
        receiver.receiveEnd(failure)
        // Breaks the retain cycles, and validates in the background.
        dispose()
    }

    // MARK: Choosing

    /// - Parameter owner: `nil` if the responses of the owner can't be stored.
    private func lookUp(for owner: PartitionKey?) {
        guard let owner else {
            return CacheControl(request.headers).contains("only-if-cached") ? fail() : forward(nil, validating: nil)
        }
        let key = CacheKey(url: request.url, owner: owner)
        switch cache.store.responses(for: key) {
        case .ready(let responses): choose(from: responses, key)
        case .waiting(let responses): run(responses.catchAndReturn([])) { [self] in choose(from: $0, key) }
        }
    }

    /// Responds with the latest of the stored responses that was selected by the same fields as this request. One without `Vary`
    /// is used only if there is no other, because some servers omit the field from their default response. Source: RFC 9111
    /// section 4.1.
    private func choose(from responses: [CachedResponse], _ key: CacheKey) {
        if responses.isEmpty { return respond(key, with: nil) }
        let choose = { @Sendable [self] (request: Request) in
            var fields = request.headers
            // Stored as the caller gives it, because the transport sets its own.
            fields[.acceptEncoding] = self.request.headers[.acceptEncoding]
            let matching = responses.filter { Vary.matches($0.selectors, fields, by: cache.store.fingerprint) }
            respond(key, with: matching.first { $0.head.headerFields.contains(.vary) } ?? matching.first)
        }
        // Adapters can set any field except these, so the choice needs the final request.
        let isFinal = responses.allSatisfy { $0.selectors.keys.allSatisfy { $0 == "accept-encoding" } }
        if isFinal { choose(request) } else { prepare(choose) }
    }

    /// Calls `next` with the request as it would be sent now.
    private func prepare(_ next: @escaping @Sendable (Request) -> Void) {
        var request = request
        switch receiver.prepare(&request) {
        case .ready: next(request)
        case .waiting(let prepared): run(prepared, next)
        }
    }

    /// Calls `next` with the value of `single`, unless the transfer is disposed of. A failure ends the transfer.
    private func run<Value>(_ single: Single<Value>, _ next: @escaping @Sendable (Value) -> Void) {
        begin { [self] in single.subscribe(onSuccess: next, onFailure: { [self] in end($0) }) }
    }

    /// Begins a step. The next one can begin within the call.
    private func begin(_ subscribe: () -> any Disposable) {
        let slot = SingleAssignmentDisposable()
        step.disposable = slot
        slot.setDisposable(subscribe())
    }

    private func respond(_ key: CacheKey, with stored: CachedResponse?) {
        let requested = CacheControl(request.headers)
        guard let stored, !requested.contains("no-store") else {
            return requested.contains("only-if-cached") ? fail() : forward(key, validating: nil)
        }
        switch CacheDecision(stored, for: request.headers, at: cache.now()) {
        case .fresh(let age): serve(stored, key, .hit(age: age), age: age)
        case .stale(let age): serve(stored, key, .stale(age: age), age: age)
        case .staleWhileRevalidating(let age):
            guard cache.validations.want(key) else { return forward(key, validating: stored) }
            serve(stored, key, .stale(age: age), age: age) { [self] in
                if cache.validations.begin(key) { validateInBackground(stored, key) }
            }
        case .validate: forward(key, validating: stored)
        case .unsatisfiable: fail()
        }
    }

    /// No stored response can be used, and the request accepts no other.
    private func fail() {
        receiver.receive(.phase(.cache(.unsatisfiable)))
        receiver.receive(.head(HTTPResponse(status: .gatewayTimeout)))
        end(nil)
    }

    // MARK: From the store

    /// - Parameters:
    ///   - age: in seconds; `nil` leaves the field as it was stored.
    ///   - ended: called after the end, or when the caller cancels.
    func serve(
        _ stored: CachedResponse, _ key: CacheKey, _ status: CacheStatus, age: Int?,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        var head = stored.head
        if let age { head.headerFields[.age] = String(age) }
        let isGet = request.method == .get
        let body = isGet ? cache.store.body(of: stored, for: key) : .empty()
        // Delivered with the first piece, because a damaged body has none, and is replaced by another response.
        let pending = Locked<HTTPResponse?>(head)
        let deliverHead = { @Sendable [receiver] in
            guard let head = pending.withLock({ $0.take() }) else { return }
            receiver.receive(.phase(.cache(status)))
            receiver.receive(.head(head))
        }
        begin { [self] in
            body.do(onDispose: ended).subscribe { [self] event in
                switch event {
                case .next(let bytes):
                    deliverHead()
                    receiver.receive(.body(bytes))
                case .completed:
                    deliverHead()
                    end(nil)
                case .error(let error):
                    guard pending.withLock({ $0.take() }) != nil else { return end(error) }
                    // The body was damaged, or another process has removed it.
                    after(cache.store.remove(stored, for: key)) { [self] in forward(key, validating: nil) }
                }
            }
        }
    }

    /// Calls `next` when the store has done its work, unless the transfer was disposed of. A failure of the store fails no request.
    func after(_ work: Single<Void>, _ next: @escaping @Sendable () -> Void) {
        _ = work.subscribe { [step] _ in
            if !step.isDisposed { next() }
        }
    }

    // MARK: From below

    /// - Parameter key: where the response is stored, if it may be stored.
    func forward(_ key: CacheKey?, validating stored: CachedResponse?) {
        let forwarded = ForwardedRequest(self, key, validating: stored)
        step.disposable = forwarded
        if !step.isDisposed { forwarded.start() }
    }

    /// Continues after the caller has disposed of its transfer, and gets a credential of its own.
    private func validateInBackground(_ stored: CachedResponse, _ key: CacheKey) {
        // A failure leaves the stale response, and the next request tries again.
        let receiver = BackgroundReceiver(receiver) { [cache] in cache.validations.end(key) }
        CachedTransfer(request.limitedInBackground, to: receiver, through: cache).forward(key, validating: stored)
    }
}

extension Request {
    /// The request with a limit for its whole response. No caller waits for it, so the client's `timeout` does not end it, and a
    /// response without end would go on for ever.
    fileprivate var limitedInBackground: Request {
        var request = self
        var options = request.transfer ?? TransferOptions()
        options.totalTimeout = options.totalTimeout ?? request.timeout ?? .seconds(60)
        request.transfer = options
        return request
    }
}

/// Drops the response to a request that a cache sends for itself.
private final class BackgroundReceiver: ForwardingReceiver {
    let above: any TransferReceiver
    private let ended: @Sendable () -> Void

    init(_ above: any TransferReceiver, ended: @escaping @Sendable () -> Void) {
        (self.above, self.ended) = (above, ended)
    }

    func willSend(_ request: Request) {}
    func receive(_ part: consuming ResponsePart) {}
    func receiveEnd(_ failure: (any Error)?) { ended() }
}
