/// A run of operators that a ``FusedObservable`` consists of: what becomes of one element.
///
/// It hands each element that passes to a continuation which does not escape, so that the optimiser sees through any
/// number of stages.
public protocol FusedStage<Input, Output>: Sendable {
    associatedtype Input
    associatedtype Output
    /// What a subscription keeps from element to element.
    associatedtype State

    func makeState() -> State
    func run(_ input: Input, _ state: inout State, _ next: (Output) throws -> Void) throws
}

/// No stage yet.
@frozen
public struct FusedIdentity<Element>: FusedStage {
    @inlinable
    init() {}

    @inlinable
    public func makeState() {}

    @inlinable @inline(__always)
    public func run(_ input: Element, _ state: inout Void, _ next: (Element) throws -> Void) throws {
        try next(input)
    }
}

/// The stages before, and then `map`.
@frozen
public struct FusedMap<Before: FusedStage, Output>: FusedStage {
    @usableFromInline let before: Before
    @usableFromInline let transform: @Sendable (Before.Output) throws -> Output

    @inlinable
    init(_ before: consuming Before, _ transform: @escaping @Sendable (Before.Output) throws -> Output) {
        self.before = before
        self.transform = transform
    }

    @inlinable
    public func makeState() -> Before.State { before.makeState() }

    @inlinable @inline(__always)
    public func run(_ input: Before.Input, _ state: inout Before.State, _ next: (Output) throws -> Void) throws {
        try before.run(input, &state) { try next(transform($0)) }
    }
}

/// The stages before, and then `filter`.
@frozen
public struct FusedFilter<Before: FusedStage>: FusedStage {
    @usableFromInline let before: Before
    @usableFromInline let predicate: @Sendable (Before.Output) throws -> Bool

    @inlinable
    init(_ before: consuming Before, _ predicate: @escaping @Sendable (Before.Output) throws -> Bool) {
        self.before = before
        self.predicate = predicate
    }

    @inlinable
    public func makeState() -> Before.State { before.makeState() }

    @inlinable @inline(__always)
    public func run(_ input: Before.Input, _ state: inout Before.State, _ next: (Before.Output) throws -> Void) throws {
        try before.run(input, &state) { if try predicate($0) { try next($0) } }
    }
}

/// The stages before, and then `compactMap`.
@frozen
public struct FusedCompactMap<Before: FusedStage, Output>: FusedStage {
    @usableFromInline let before: Before
    @usableFromInline let transform: @Sendable (Before.Output) throws -> Output?

    @inlinable
    init(_ before: consuming Before, _ transform: @escaping @Sendable (Before.Output) throws -> Output?) {
        self.before = before
        self.transform = transform
    }

    @inlinable
    public func makeState() -> Before.State { before.makeState() }

    @inlinable @inline(__always)
    public func run(_ input: Before.Input, _ state: inout Before.State, _ next: (Output) throws -> Void) throws {
        try before.run(input, &state) { if let output = try transform($0) { try next(output) } }
    }
}

/// The stages before, and then `scan(into:accumulator:)`.
@frozen
public struct FusedScan<Before: FusedStage, Output>: FusedStage, @unchecked Sendable {
    @usableFromInline let before: Before
    // Unchecked: the seed is only ever copied.
    @usableFromInline let seed: Output
    @usableFromInline let accumulator: @Sendable (inout Output, Before.Output) throws -> Void

    @inlinable
    init(
        _ before: consuming Before, _ seed: Output,
        _ accumulator: @escaping @Sendable (inout Output, Before.Output) throws -> Void
    ) {
        self.before = before
        self.seed = seed
        self.accumulator = accumulator
    }

    @frozen
    public struct State {
        @usableFromInline var before: Before.State
        @usableFromInline var accumulated: Output

        @inlinable
        init(before: Before.State, accumulated: Output) {
            self.before = before
            self.accumulated = accumulated
        }
    }

    @inlinable
    public func makeState() -> State { State(before: before.makeState(), accumulated: seed) }

    @inlinable @inline(__always)
    public func run(_ input: Before.Input, _ state: inout State, _ next: (Output) throws -> Void) throws {
        // The part of the stages before is taken out for the time that they run, for two cannot change one value.
        var outer = state.before
        defer { state.before = outer }
        try before.run(input, &outer) {
            try accumulator(&state.accumulated, $0)
            try next(state.accumulated)
        }
    }
}
