import FreshetCore
import HTTPTypes

/// A subscription to the events of a request.
final class EventCall: RequestCall, RuledSource, @unchecked Sendable {
    private let observer: RuledObserver<RequestEvent>

    init(_ stream: borrowing RuledStream<Seed, RequestEvent>, for observer: RuledObserver<RequestEvent>) {
        self.observer = observer
        let seed = stream.seed
        super.init(seed.request, by: seed.client, accepting: seed.accepted, tellsTimings: true)
    }

    override func pass(_ event: consuming RequestEvent) { observer.onNext(event) }

    override func pass(_ head: consuming HTTPResponse, from url: consuming RequestURL) {
        if accepted.contains(status) {
            observer.onNext(.head(consume head, url: consume url))
        } else {
            // Whoever takes the error lets go of this.
            observer.onError(HTTPClientError.refused(consume head, from: consume url))
        }
    }

    override func pass(_ error: any Error) { observer.onError(error) }

    override func passEnd(at now: @autoclosure () -> Instant) {
        emit(.finished(timings(at: now())))
        finish()
        if life.end() { observer.onCompleted() }
    }
}
