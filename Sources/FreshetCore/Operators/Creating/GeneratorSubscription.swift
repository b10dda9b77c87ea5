public import Synchronization

/// Generates elements one at a time from a state that belongs to one subscription. `from`, `range` and `generate` use
/// it.
@usableFromInline
protocol ElementGenerator<Element> {
    associatedtype Element

    /// Returns the next element, or `nil` at the end.
    mutating func next() throws -> Element?
}

/// Generates the elements of an iterator.
@usableFromInline
struct Iteration<Iterator: IteratorProtocol>: ElementGenerator {
    @usableFromInline var iterator: Iterator

    @inlinable
    init(_ iterator: Iterator) {
        self.iterator = iterator
    }

    @inlinable
    mutating func next() -> Iterator.Element? { iterator.next() }
}

/// The subscription that emits the elements of one ``ElementGenerator``. It stops on `dispose`, and emits nothing
/// between `pause` and `resume`.
///
/// On the ``CurrentThreadScheduler`` it emits in a loop while no other work waits on the thread. After each element it
/// yields to waiting work, so that merged sequences emit in turns. On any other scheduler it schedules each element as
/// a piece of work of its own.
@usableFromInline
final class GeneratorSubscription<Steps: ElementGenerator>: Pausable, @unchecked Sendable {
    @usableFromInline static var disposed: UInt8 { 1 }
    @usableFromInline static var held: UInt8 { 2 }
    /// A thread is emitting, or is scheduled to emit. Only that thread accesses `steps`.
    @usableFromInline static var working: UInt8 { 4 }

    @usableFromInline let state = Atomic<UInt8>(4)
    @usableFromInline var steps: Steps
    @usableFromInline let sink: Sink<Steps.Element>
    /// The schedule of the elements, or `nil` on the current thread.
    @usableFromInline let schedule: SteppedSchedule?

    @inlinable
    init(_ steps: Steps, to sink: Sink<Steps.Element>, on scheduler: any ImmediateSchedulerType) {
        self.steps = steps
        self.sink = sink
        schedule = scheduler is CurrentThreadScheduler ? nil : SteppedSchedule(on: scheduler)
        Resources.increment()
    }

    @inlinable
    deinit { Resources.decrement() }

    @inlinable
    func start() {
        sink.begin(with: self)
        proceed()
    }

    @inlinable
    func proceed() {
        if let schedule {
            schedule.next { [self] in if step() { proceed() } }
        } else {
            CurrentThreadScheduler.enqueue { self.runTurn() }
        }
    }

    @inlinable
    func runTurn() {
        let others = CurrentThreadScheduler.trampoline
        while step() {
            if !others.isEmpty { return proceed() }
        }
    }

    /// Emits one element unless the subscription is disposed of or paused. Returns whether the caller has to continue.
    @inlinable
    func step() -> Bool {
        if state.load(ordering: .acquiring) != Self.working, !mayWork() { return false }
        do {
            if let element = try steps.next() {
                sink.next(element)
                return true
            }
            if end() { sink.completed() }
        } catch {
            if end() { sink.error(error) }
        }
        return false
    }

    @usableFromInline
    func mayWork() -> Bool {
        var seen = state.load(ordering: .acquiring)
        while seen != Self.working {
            if seen & Self.disposed != 0 { return false }
            let (exchanged, now) = state.weakCompareExchange(
                expected: seen, desired: Self.held, ordering: .acquiringAndReleasing)
            if exchanged { return false }
            seen = now
        }
        return true
    }

    @usableFromInline
    func end() -> Bool {
        state.bitwiseOr(Self.disposed, ordering: .acquiringAndReleasing).oldValue & Self.disposed == 0
    }

    @usableFromInline
    func dispose() {
        if end() { schedule?.cancel() }
    }

    @usableFromInline
    func pause() {
        state.bitwiseOr(Self.held, ordering: .acquiringAndReleasing)
    }

    @usableFromInline
    func resume() {
        var seen = state.load(ordering: .acquiring)
        while seen & Self.held != 0 {
            let desired = seen & Self.disposed != 0 ? seen & ~Self.held : Self.working
            let (exchanged, now) = state.weakCompareExchange(
                expected: seen, desired: desired, ordering: .acquiringAndReleasing)
            if exchanged {
                if seen == Self.held { proceed() }
                return
            }
            seen = now
        }
    }
}

/// Schedules pieces of work, each of which schedules the next. A scheduler that runs work within the call does not
/// deepen the stack.
@usableFromInline
final class SteppedSchedule: Sendable {
    private struct State {
        var number: UInt64 = 0
        var pending: (any Disposable)?
        var isCancelled = false
    }

    private let scheduler: any ImmediateSchedulerType
    private let turns = WorkDrain()
    private let state = Locked(State())

    @usableFromInline
    init(on scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
    }

    @usableFromInline
    func next(_ work: @escaping () -> Void) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let scheduled = scheduler.schedule(UncheckedSendable(work)) { [turns] work in
            turns.drain.submit(work.value) { $0() }
            return Disposables.create()
        }
        let isCancelled = state.withLock { state in
            // The work may already have run and scheduled the next one.
            if state.number == number, !state.isCancelled { state.pending = scheduled }
            return state.isCancelled
        }
        if isCancelled { scheduled.dispose() }
    }

    func cancel() {
        let pending = state.withLock { state in
            state.isCancelled = true
            return state.pending.take()
        }
        pending?.dispose()
    }

    private final class WorkDrain: Sendable {
        let drain = Drain<() -> Void>()
    }
}
