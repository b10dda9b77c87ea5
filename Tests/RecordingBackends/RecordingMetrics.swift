public import CoreMetrics
import FreshetCore

/// A backend that records all values by label and dimensions.
public final class RecordingMetrics: MetricsFactory {
    private let recorded = Locked<[String: [Double]]>([:])
    private let instruments = Locked(0)

    public init() {}

    public var values: [String: [Double]] { recorded.withLock { $0 } }
    /// The number of instruments that were requested.
    public var made: Int { instruments.withLock { $0 } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        instruments.withLock { $0 += 1 }
        let key = "\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","))}"
        return Handler { value in self.recorded.withLock { $0[key, default: []].append(value) } }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions)
    }
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, dimensions)
    }
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler(label, dimensions)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}

    private final class Handler: CounterHandler, RecorderHandler, TimerHandler, MeterHandler {
        private let keep: @Sendable (Double) -> Void

        init(_ keep: @escaping @Sendable (Double) -> Void) {
            self.keep = keep
        }

        func increment(by amount: Int64) { keep(Double(amount)) }
        func increment(by amount: Double) { keep(amount) }
        func decrement(by amount: Double) { keep(-amount) }
        func set(_ value: Int64) { keep(Double(value)) }
        func set(_ value: Double) { keep(value) }
        func reset() {}
        func record(_ value: Int64) { keep(Double(value)) }
        func record(_ value: Double) { keep(value) }
        func recordNanoseconds(_ duration: Int64) { keep(Double(duration)) }
    }
}
