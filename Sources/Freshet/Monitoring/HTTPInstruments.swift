import CoreMetrics
import FreshetCore
import FreshetLoop

/// Creates and keeps the instruments of one backend. Creating an instrument costs more than using it.
final class HTTPInstruments: Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: [Dimension]
    }

    private struct Instruments {
        var timers: [Key: Timer] = [:]
        var recorders: [Key: Recorder] = [:]
        var meters: [Key: Meter] = [:]
        var counters: [Key: Counter] = [:]
    }

    /// The largest number of instruments of each kind that are kept. A program that sends requests to any number of
    /// hosts would otherwise need memory without limit.
    private static let limit = 4096

    private let factory: (any MetricsFactory)?
    private let instruments = Locked(Instruments())

    init(factory: (any MetricsFactory)?) {
        self.factory = factory
    }

    func timer(_ label: String, _ dimensions: [Dimension]) -> Timer {
        instrument(\.timers, label, dimensions) { Timer(label: $0, dimensions: $1, factory: $2) }
    }

    func recorder(_ label: String, _ dimensions: [Dimension]) -> Recorder {
        instrument(\.recorders, label, dimensions) {
            Recorder(label: $0, dimensions: $1, aggregate: true, factory: $2)
        }
    }

    func meter(_ label: String, _ dimensions: [Dimension]) -> Meter {
        instrument(\.meters, label, dimensions) { Meter(label: $0, dimensions: $1, factory: $2) }
    }

    func counter(_ label: String, _ dimensions: [Dimension]) -> Counter {
        instrument(\.counters, label, dimensions) { Counter(label: $0, dimensions: $1, factory: $2) }
    }

    private func instrument<Instrument>(
        _ kind: WritableKeyPath<Instruments, [Key: Instrument]>, _ label: String, _ dimensions: [Dimension],
        _ make: (String, [(String, String)], any MetricsFactory) -> Instrument
    ) -> Instrument {
        let key = Key(label: label, dimensions: dimensions)
        if let known = instruments.withLock({ $0[keyPath: kind][key] }) { return known }
        // The backend is not called under the lock. If two threads create the same instrument, the backend returns the
        // same one to both.
        let new = make(label, dimensions.map { ($0.name, $0.value) }, factory ?? MetricsSystem.factory)
        instruments.withLock { instruments in
            if instruments[keyPath: kind].count >= Self.limit { instruments[keyPath: kind].removeAll() }
            instruments[keyPath: kind][key] = new
        }
        return new
    }
}

extension Timer {
    /// Records a duration. A duration of more than 146 years is recorded as 146 years.
    func record(duration: Duration) {
        recordNanoseconds(duration.nanoseconds)
    }
}
