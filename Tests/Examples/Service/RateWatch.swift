import Freshet
import ServiceLifecycle
import Tracing

/// Asks, prints, and asks again; what it has asked for it still prints when it is told to stop.
struct RateWatch: Service {
    struct Rate: Decodable, Sendable {
        var currency: String
        var value: Double
    }

    let url: String
    let client: HTTPClient
    let scheduler: any SchedulerType

    func run() async throws {
        let ticks = Observable<Int>.timer(.zero, period: .milliseconds(100), scheduler: scheduler)
        for try await _ in ticks.values(buffering: 0...1).cancelOnGracefulShutdown() {
            // The request's span is a child of this one.
            await withSpan("check") { _ in
                do {
                    let rate = try await client.get(url).validate().decode(Rate.self).value
                    print("\(rate.currency) \(rate.value)")
                } catch {
                    // The next tick asks again.
                    print("failed: \(error)")
                }
            }
        }
    }
}
