public import Synchronization

/// The library's side of ``Hooks/assemblyTrace``. Each stream reads it when it is created.
@usableFromInline
enum Assembly {
    /// 0: off, 1: checkpoints, 2: operators.
    @usableFromInline static let level = Atomic<UInt8>(0)
    @inlinable static var isOff: Bool { level.load(ordering: .relaxed) == 0 }
    @inlinable static var tracesOperators: Bool { level.load(ordering: .relaxed) == 2 }

    static let functions = Locked(Functions())

    // A structure, because each read of a bare function from a generic lock wraps the function again.
    struct Functions {
        var trace = AssemblyTrace.off
        var handle: Hooks.AssemblyTraceHandler = { print("passed \($1): \($0)") }
    }

    /// Returns `run` with a sink that reports the errors that pass, or `run` unchanged if operators are not traced.
    @inlinable
    static func traced<Element, Result>(_ run: @escaping (Sink<Element>) -> Result) -> (Sink<Element>) -> Result {
        tracesOperators ? recordingLocation(run) : run
    }

    /// Does the same for `attach`, which also receives the stream.
    @usableFromInline
    @inline(never)
    static func recordingLocation<Stream, Element, Result>(
        _ attach: @escaping (Stream, Sink<Element>) -> Result
    ) -> (Stream, Sink<Element>) -> Result {
        guard let location else { return attach }
        return { attach($0, AssemblySink(to: $1, location)) }
    }

    /// Does the same for a stream of its own class.
    static func traced<Element>(_ stream: Observable<Element>) -> Observable<Element> {
        guard tracesOperators, let location else { return stream }
        return LocatedStream(location, on: stream)
    }

    @usableFromInline
    @inline(never)
    static func recordingLocation<Element, Result>(_ run: @escaping (Sink<Element>) -> Result) -> (Sink<Element>) ->
        Result
    {
        guard let location else { return run }
        return { run(AssemblySink(to: $0, location)) }
    }

    private static var location: AssemblyLocation? {
        guard case .operators(let capture) = Hooks.assemblyTrace else { return nil }
        return capture.record().map { AssemblyLocation($0) }
    }

    /// The location that the current error has passed last.
    @TaskLocal fileprivate static var latest: AssemblyLocation?
}

/// The location at which a stream is created. It is determined when the first error passes.
final class AssemblyLocation: Sendable {
    private enum State {
        case recorded(AssemblyCapture.Finding)
        case known(AssemblySite?)
    }

    private let state: Locked<State>

    init(_ finding: @escaping AssemblyCapture.Finding) {
        state = Locked(.recorded(finding))
    }

    init(_ site: AssemblySite) {
        state = Locked(.known(site))
    }

    var site: AssemblySite? {
        let before = state.withLock { $0 }
        guard case .recorded(let find) = before else {
            if case .known(let site) = before { return site }
            return nil
        }
        let site = find()
        state.withLock { $0 = .known(site) }
        return site
    }

    /// Reports `error`, and then calls `deliver`, which passes the error on. An operator that consists of several
    /// others is reported once.
    func report(_ error: any Error, deliver: () -> Void) {
        if let site, Assembly.latest?.site != site { Hooks.assemblyTraceHandler(error, site) }
        Assembly.$latest.withValue(self, operation: deliver)
    }
}

/// A stream with a location that comes from elsewhere, for streams that do not record their location themselves.
final class LocatedStream<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let location: AssemblyLocation

    init(_ location: AssemblyLocation, on source: Observable<Element>) {
        self.source = source
        self.location = location
        super.init(depth: source.depth, isHot: source.isHot)
    }

    override func run(_ sink: Sink<Element>) {
        source.run(AssemblySink(to: sink, location))
    }
}

/// A sink between two operators, which reports the errors that pass.
final class AssemblySink<Element>: PassingSink<Element> {
    private let location: AssemblyLocation

    init(to downstream: Sink<Element>, _ location: AssemblyLocation) {
        self.location = location
        super.init(to: downstream)
    }

    override func error(_ error: any Error) {
        location.report(error) { downstream.error(error) }
    }
}
