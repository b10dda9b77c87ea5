import Synchronization

/// Which parts of a chain are told of when an error passes them; see ``Hooks/assemblyTrace``.
public enum AssemblyTrace: Sendable {
    /// None, and building a chain costs one look at a variable for each operator.
    case off
    /// What ``ObservableType/checkpoint(_:file:line:)`` marks.
    case checkpoints
    /// Every operator too. `capture` notes where an operator is called, which costs much more than the operator.
    case operators(by: AssemblyCapture)
}

/// A part of a chain, and where it is built.
public struct AssemblySite: Hashable, Sendable, CustomStringConvertible {
    /// The operator, such as `map(_:)`, or what a checkpoint is called.
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

/// What notes where an operator is called. `FreshetFoundation` has one that reads it off the stack.
public struct AssemblyCapture: Sendable {
    /// Finds out what was noted; `nil` if that is no place in the program.
    public typealias Finding = @Sendable () -> AssemblySite?

    let record: @Sendable () -> Finding?

    /// - Parameter record: called within the call of an operator. What it returns is called when the first error passes, and
    ///   not again.
    public init(_ record: @escaping @Sendable () -> Finding?) {
        self.record = record
    }
}

extension Hooks {
    /// Takes an error that passes, and what it passes.
    public typealias AssemblyTraceHandler = @Sendable (_ error: any Error, _ site: AssemblySite) -> Void

    /// Whether chains that are built from now on tell where that was, when an error passes through them; off at first.
    ///
    ///     Hooks.assemblyTrace = .operators(by: .backtrace)
    ///
    /// The error itself goes on unchanged, and ``assemblyTraceHandler`` is called for each operator, from the one where the
    /// error comes from on downwards, also for errors that are caught further down. A chain that goes on with itself for
    /// ever grows while its operators are told of. Source: Reactor's `Hooks.onOperatorDebug`.
    public static var assemblyTrace: AssemblyTrace {
        get { Assembly.functions.withLock { $0.trace } }
        set {
            Assembly.functions.withLock { $0.trace = newValue }
            let level: UInt8 =
                switch newValue {
                case .off: 0
                case .checkpoints: 1
                case .operators: 2
                }
            Assembly.level.store(level, ordering: .releasing)
        }
    }

    /// What is told; at first it prints a line. Called on the thread where the error passes, before it goes on.
    @preconcurrency public static var assemblyTraceHandler: AssemblyTraceHandler {
        get { Assembly.functions.withLock { $0.handle } }
        set { Assembly.functions.withLock { $0.handle = newValue } }
    }
}
