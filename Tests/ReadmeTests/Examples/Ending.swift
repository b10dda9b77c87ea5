import Foundation
import Freshet
import Logging
import ServiceLifecycle
import UnixSignals

/// The examples of the page of this name.
enum Ending {
    static func run(_ runtime: FreshetRuntime, _ worker: any Service) async throws {
        let group = ServiceGroup(
            services: [runtime, worker], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "api"))
        try await group.run()
    }

    static func end(_ runtime: FreshetRuntime) async {
        await runtime.shutdown(gracePeriod: .seconds(10))
    }

    static func cancelOnInterrupt(_ task: Task<Void, any Error>) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupts.setEventHandler { @Sendable in task.cancel() }
        interrupts.resume()
        return interrupts
    }
}
