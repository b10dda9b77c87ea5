import Freshet
import Peer

/// Requests that begin on a schedule, whatever the responses do.
struct Load {
    struct Response: Sendable {
        /// When the request began, in nanoseconds.
        var start: UInt64
        var milliseconds: Double
        var isRight: Bool
    }

    /// A multiple of 100.
    let perSecond: Int
    let seconds: Int

    /// - Returns: what became of each request.
    func run(_ client: HTTPClient, _ runtime: FreshetRuntime, to url: String) async throws -> [Response] {
        try await Observable<Int>.interval(.milliseconds(10), scheduler: runtime.scheduler)
            .take(100 * seconds)
            .flatMap { _ in Observable.range(start: 0, count: perSecond / 100) }
            .flatMap { _ in
                let start = Clock.nanoseconds
                return client.get(url).map { $0.status == .ok }.catchAndReturn(false).asObservable()
                    .map {
                        Response(
                            start: start, milliseconds: Double(Clock.nanoseconds - start) / 1e6, isRight: $0)
                    }
            }
            .toArray().value
    }
}

extension [Load.Response] {
    /// The latency in milliseconds that the part `fraction` of all responses does not exceed.
    func latency(_ fraction: Double) -> Double {
        map(\.milliseconds).sorted()[Swift.min(count - 1, Int(Double(count) * fraction))]
    }

    /// The seconds in which the requests began: more than planned on a busy machine.
    var seconds: Double {
        let starts = map(\.start)
        return Double((starts.max() ?? 0) - (starts.min() ?? 0)) / 1e9
    }
}
