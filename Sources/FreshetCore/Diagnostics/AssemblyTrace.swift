import Synchronization

/// The parts of a chain that are reported when an error passes them. See ``Hooks/assemblyTrace``.
public enum AssemblyTrace: Sendable {
    /// No part. Building a chain costs one read of a variable per operator.
    case off
    /// The checkpoints that ``ObservableType/checkpoint(_:file:line:)`` sets.
    case checkpoints
    /// Checkpoints and all operators. `capture` records where an operator is called, which costs much more than the operator.
    case operators(by: AssemblyCapture)
}

/// A part of a chain, and the location at which it is built.
public struct AssemblySite: Hashable, Sendable, CustomStringConvertible {
    /// The operator, such as `map(_:)`, or the name of a checkpoint.
    public let operation: String
    public let file: String
    public let line: Int

    public init(operation: String, file: String, line: Int) {
        self.operation = operation
        self.file = file
        self.line = line
    }

    public var description: String { "\(operation) at \(file):\(line)" }
}

/// Records where an operator is called. `FreshetFoundation` has an implementation that reads the location from the stack.
public struct AssemblyCapture: Sendable {
    /// Resolves the recorded location. Returns `nil` if it is not a location in the program.
    public typealias Finding = @Sendable () -> AssemblySite?

    let record: @Sendable () -> Finding?

    /// - Parameter record: a function that each operator calls while it is created. The library calls the function that
    ///   `record` returns when the first error passes, and only once.
    @preconcurrency
    public init(_ record: @escaping @Sendable () -> Finding?) {
        self.record = record
    }
}

extension Hooks {
    /// Receives an error and the operator or checkpoint that it passes.
    public typealias AssemblyTraceHandler = @Sendable (_ error: any Error, _ site: AssemblySite) -> Void

    /// Selects whether chains that are built from now on report where they were built when an error passes through
    /// them. The default is ``AssemblyTrace/off``.
    ///
    ///     Hooks.assemblyTrace = .operators(by: .backtrace)
    ///
    /// The error itself passes unchanged. ``assemblyTraceHandler`` is called for each operator on the error's way
    /// downstream, beginning with the operator that fails. It is also called for an error that an operator further
    /// downstream catches. While operators are traced, a chain that continues with itself without end grows.
    /// Source: Reactor's `Hooks.onOperatorDebug`.
    public static var assemblyTrace: AssemblyTrace {
        get { Assembly.functions.withLock { $0.trace } }
        set {
            Assembly.functions.update { $0.trace = newValue }
            let level: UInt8 =
                switch newValue {
                case .off: 0
                case .checkpoints: 1
                case .operators: 2
                }
            Assembly.level.store(level, ordering: .releasing)
        }
    }

    /// The handler that receives the reports. The default prints a line. It is called on the thread of the error,
    /// before the error passes on.
    @preconcurrency public static var assemblyTraceHandler: AssemblyTraceHandler {
        get { Assembly.functions.withLock { $0.handle } }
        set { Assembly.functions.update { $0.handle = newValue } }
    }
}
