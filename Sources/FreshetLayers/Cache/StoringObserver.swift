import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Passes a response on and stores its body on the way. When more than ``longestQueue`` of it is in memory, the response is
/// paused until the store has caught up.
final class StoringObserver: Pausable {
    private static let longestQueue = 1 << 20

    private struct State: Sendable {
        var writer: (any CacheWriter)?
        /// In bytes.
        var queued = 0
        var isHeld = false
        var isPaused = false
        /// Whether other parts replace this response.
        var isReplaced = false
    }

    private let request: ForwardedRequest
    private let observer: AnyObserver<ResponsePart>
    private let response = SingleAssignmentDisposable()
    private let replacement = SerialDisposable()
    private let state = Locked(State())

    init(_ request: ForwardedRequest, _ observer: AnyObserver<ResponsePart>) {
        self.request = request
        self.observer = observer
    }

    func begin(_ parts: Observable<ResponsePart>) {
        response.setDisposable(parts.subscribe { [self] event in receive(event) })
    }

    private func receive(_ event: Event<ResponsePart>) {
        switch event {
        case .next(.head(let head)): receive(head)
        case .next(.body(let bytes)): receive(bytes)
        case .next(let part):
            if !state.withLock({ $0.isReplaced }) { observer.onNext(part) }
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    private func receive(_ head: HTTPResponse) {
        let (course, storing) = request.received(head)
        if case .replace(let parts) = course {
            state.withLock { $0.isReplaced = true }
            replacement.disposable = parts.subscribe { [observer] event in observer.on(event) }
            if state.withLock({ $0.isPaused }) { replacement.pause() }
            return
        }
        if case .after(let work) = course { return deliver(head, after: work) }
        if let (response, key) = storing {
            let writer = request.writer(of: response, key)
            state.withLock { $0.writer = writer }
        }
        deliver(head)
    }

    private func deliver(_ head: HTTPResponse) {
        observer.onNext(.phase(.cache(.miss)))
        observer.onNext(.head(head))
    }

    /// Delivers the response to a HEAD, which has no body, after `work`. So the caller's next request finds what `work` has
    /// stored.
    private func deliver(_ head: HTTPResponse, after work: Observable<Void>) {
        state.withLock { $0.isReplaced = true }
        replacement.disposable = work.catchAndReturn(()).subscribe(onCompleted: { [self] in
            deliver(head)
            observer.onCompleted()
        })
    }

    private func receive(_ bytes: [UInt8]) {
        let (writer, isReplaced, mustHold) = state.withLock { state in
            if state.writer != nil { state.queued += bytes.count }
            let mustHold = state.queued > Self.longestQueue && !state.isHeld
            if mustHold { state.isHeld = true }
            return (state.writer, state.isReplaced, mustHold)
        }
        if isReplaced { return }
        if mustHold { response.pause() }
        writer?.append(bytes) { [self] in written(bytes.count) }
        observer.onNext(.body(bytes))
    }

    private func written(_ count: Int) {
        let mayGoOn = state.withLock { state in
            state.queued -= count
            guard state.isHeld, state.queued < Self.longestQueue / 2 else { return false }
            state.isHeld = false
            return !state.isPaused
        }
        if mayGoOn { response.resume() }
    }

    private func end(_ error: (any Error)?) {
        let (writer, isReplaced) = state.withLock { state in (state.writer.take(), state.isReplaced) }
        if isReplaced { return }
        if let error {
            writer?.abandon()
            return observer.onError(error)
        }
        guard let writer else { return observer.onCompleted() }
        // The next request finds what this one has stored.
        writer.finish { [observer] in observer.onCompleted() }
    }

    func dispose() {
        state.withLock { $0.writer.take() }?.abandon()
        response.dispose()
        replacement.dispose()
    }

    func pause() {
        state.withLock { $0.isPaused = true }
        response.pause()
        replacement.pause()
    }

    func resume() {
        let isHeld = state.withLock { state in
            state.isPaused = false
            return state.isHeld
        }
        if !isHeld { response.resume() }
        replacement.resume()
    }
}
