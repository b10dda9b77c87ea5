import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Limits how many requests to one origin run at once, so that one slow server does not use up all connections of a program.
///
///     client.with(layers: [Bulkhead(limit: 20, queueLimit: 100)])
///
/// Further requests wait in the order in which they arrived, and that time counts towards their timeout. A request that finds the
/// queue full fails at once with code `overloaded`. A request runs until the end of its response; a long-lived one until its
/// head. It keeps its place while it waits for a credential, so a login must not go through the same layer. A request that is
/// cancelled passes its place on at once; to cancel many, dispose of one stream that merges them, which ends those that wait first.
/// Source: the pattern of resilience4j.
public struct Bulkhead: TransportLayer {
    private let limit: Int
    private let queueLimit: Int

    /// - Parameters:
    ///   - limit: the number of requests to an origin that run at once.
    ///   - queueLimit: the number of requests to an origin that wait.
    public init(limit: Int, queueLimit: Int = 1000) {
        precondition(limit > 0, "Bulkhead needs room for at least one request")
        precondition(queueLimit >= 0, "Bulkhead can't let fewer than no requests wait")
        self.limit = limit
        self.queueLimit = queueLimit
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        let queues = Locked<[Origin: BulkheadQueue]>([:])
        return ObservableTransport(unprepared: { [self] request, receiver in
            .create { observer in
                let origin = request.url.origin
                let parts = transport.parts(request, for: receiver)
                let isLongLived = request.transfer?.isLongLived == true
                let (permit, admission) = queues.withLock { queues in
                    // Queues without requests have no state worth keeping. A request enters its queue under this lock, because a
                    // queue that it has not yet entered could be dropped.
                    if queues.count >= 1024, queues[origin] == nil { queues = queues.filter { !$0.value.isEmpty } }
                    let queue = queues[origin] ?? BulkheadQueue(limit: limit, queueLimit: queueLimit)
                    queues[origin] = queue
                    let permit = BulkheadPermit(queue, parts, to: observer, isLongLived: isLongLived)
                    return (permit, queue.enter(permit))
                }
                switch admission {
                case .runs: permit.runAtOnce()
                case .waits(let number): permit.wait(as: number)
                case .refused:
                    observer.onNext(.phase(.layer(LayerEvent("bulkhead", "refused"))))
                    observer.onError(Self.overloaded(origin))
                }
                return permit
            }
        })
    }

    private static func overloaded(_ origin: Origin) -> HTTPClientError {
        HTTPClientError(
            .overloaded, phase: .queued, origin: origin.description,
            message: "too many requests to this server wait already", recoverySuggestion: .sendFewerAtOnce,
            isUnsent: true)
    }
}
