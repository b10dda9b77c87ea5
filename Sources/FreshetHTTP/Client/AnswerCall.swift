import FreshetCore
import HTTPTypes

/// A subscription to the answer of a request with its whole body: puts it together where its pieces come, for an operator
/// on the events would cost as much as all else that is done to a short answer.
final class AnswerCall: RequestCall, RuledSource, @unchecked Sendable {
    private let observer: RuledObserver<Response>
    @exclusivity(unchecked) private var collector: ResponseCollector

    init(_ stream: borrowing RuledStream<Seed, Response>, for observer: RuledObserver<Response>) {
        self.observer = observer
        collector = ResponseCollector(
            limit: stream.seed.client.configuration.maximumBodySize, origin: stream.seed.request.url.origin)
        let seed = stream.seed
        super.init(seed.request, by: seed.client, accepting: seed.accepted, tellsTimings: false)
    }

    override var wholeBodyLimit: Int { client.configuration.maximumBodySize }

    override func pass(_ event: consuming RequestEvent) {
        switch consume event {
        case .attempt(_, let request): collector.take(request)
        // Whoever takes the error lets go of this.
        case .body(let bytes): do { try collector.take(bytes) } catch { observer.onError(error) }
        default: break
        }
    }

    override func pass(_ head: consuming HTTPResponse, from url: consuming RequestURL) {
        do {
            try collector.take(consume head, from: consume url, status: status)
        } catch {
            observer.onError(error)
        }
    }

    override func pass(_ error: any Error) { observer.onError(error) }

    override func passEnd(at now: @autoclosure () -> Instant) {
        finish()
        guard life.beginEnd() else { return }
        do {
            let response = try collector.end()
            if accepted.contains(status) {
                observer.onNext(consume response)
            } else {
                throw HTTPClientError.refused(response)
            }
            if life.end() { observer.onCompleted() }
        } catch {
            if life.end() { observer.onError(error) }
        }
    }
}
