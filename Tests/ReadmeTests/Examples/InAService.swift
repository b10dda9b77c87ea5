import Freshet
import ServiceLifecycle

/// The example of the page of this name; the others stand in `Tests/Examples/Service`.
struct Follower: Service {
    let source: EventSource

    func run() async throws {
        for try await event in source.values.cancelOnGracefulShutdown() {
            print(event.data)
        }
    }
}
