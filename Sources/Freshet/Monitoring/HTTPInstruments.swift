import CoreMetrics
import FreshetCore

/// The instruments of one backend, kept: to make one costs more than to use it.
final class HTTPInstruments: Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: [Dimension]
    }

    private struct Shelf {
        var timers: [Key: Timer] = [:]
        var recorders: [Key: Recorder] = [:]
        var meters: [Key: Meter] = [:]
    }

    /// What a program that asks any number of hosts may keep of each kind.
    private static let limit = 4096

    private let factory: (any MetricsFactory)?
    private let shelf = Locked(Shelf())

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

    private func instrument<Instrument>(
        _ kind: WritableKeyPath<Shelf, [Key: Instrument]>, _ label: String, _ dimensions: [Dimension],
        _ make: (String, [(String, String)], any MetricsFactory) -> Instrument
    ) -> Instrument {
        let key = Key(label: label, dimensions: dimensions)
        if let known = shelf.withLock({ $0[keyPath: kind][key] }) { return known }
        // The backend is not called under the lock. If two make one, the backend gives both the same.
        let new = make(label, dimensions.map { ($0.name, $0.value) }, factory ?? MetricsSystem.factory)
        shelf.withLock { shelf in
            if shelf[keyPath: kind].count >= Self.limit { shelf[keyPath: kind].removeAll() }
            shelf[keyPath: kind][key] = new
        }
        return new
    }
}

extension Timer {
    /// Records a duration; one that has too many nanoseconds for the backend as its longest.
    func record(duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        recordNanoseconds(
            isTooMuch ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue)
    }
}
