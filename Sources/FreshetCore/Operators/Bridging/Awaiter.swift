import Synchronization

/// The end of a chain whose single result a task awaits.
///
/// The awaiter has the task's continuation before the stream begins. The first event or the cancellation of the task,
/// whichever comes first, resumes it. The continuation is therefore resumed exactly once, without a lock.
///
/// On a thread that works in turns the task is resumed at the end of the turn, so that the threads of tasks are woken
/// once for all results of the turn.
// Unchecked: only the caller that has claimed the result writes it. After that, only the task reads it.
@usableFromInline
final class Awaiter<Element: Sendable>: Sink<Element>, TurnWork, @unchecked Sendable {
    // Constants instead of an enum, because an enum within a generic type is generic too and needs a metadata lookup at
    // each use.
    private static var new: UInt8 { 0 }
    private static var waiting: UInt8 { 1 }
    private static var claimed: UInt8 { 2 }

    private let phase = Atomic<UInt8>(0)
    private let assignment = Assignment()
    // Accessed only when the assignment permits it.
    private var source: (any Disposable & AnyObject)?
    private var continuation: UnsafeContinuation<Void, Never>?
    @usableFromInline private(set) var failure: (any Error)?
    /// The memory for the element.
    @usableFromInline let memory: UnsafeMutablePointer<Element>
    @usableFromInline var hasElement = false
    private let store: (Awaiter, UnsafePointer<Element>) -> Void

    /// - Parameter store: stores the element at `memory`. It is made where the element's type is known.
    @usableFromInline
    init(_ memory: UnsafeMutablePointer<Element>, store: @escaping (Awaiter, UnsafePointer<Element>) -> Void) {
        Resources.increment()
        self.memory = memory
        self.store = store
        super.init()
    }

    deinit { Resources.decrement() }

    /// Waits for the first element of `source` and returns it, or returns `nil` if `source` completes without an
    /// element.
    ///
    /// - Parameter evenIfCanceled: whether a task that is already cancelled subscribes too, and receives a result that
    ///   arrives at once.
    @inlinable
    static func result(of source: Observable<Element>, evenIfCanceled: Bool = false) async throws -> Element? {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: 1)
        defer { memory.deallocate() }
        let awaiter = Awaiter(memory) { awaiter, element in
            awaiter.memory.initialize(to: element.pointee)
            awaiter.hasElement = true
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { awaiter.wait($0, for: source, evenIfCanceled: evenIfCanceled) }
        } onCancel: {
            awaiter.cancel()
        }
        if let failure = awaiter.failure { throw failure }
        return awaiter.hasElement ? memory.move() : nil
    }

    @usableFromInline
    func wait(
        _ continuation: UnsafeContinuation<Void, Never>, for source: Observable<Element>, evenIfCanceled: Bool
    ) {
        self.continuation = continuation
        let (isFirst, _) = phase.compareExchange(
            expected: Self.new, desired: Self.waiting, ordering: .acquiringAndReleasing)
        if isFirst { return source.subscribe(self) }
        if evenIfCanceled {
            phase.store(Self.waiting, ordering: .releasing)
            source.subscribe(self)
            return cancel()
        }
        failure = CancellationError()
        continuation.resume()
    }

    /// Can be called on any thread, and also before `wait`.
    @usableFromInline
    func cancel() {
        guard claim() else { return }
        failure = CancellationError()
        disposeOfSource()
        continuation?.resume()
    }

    /// Claims the result. Returns whether the caller is the first to claim it and the task is waiting.
    private func claim() -> Bool {
        phase.exchange(Self.claimed, ordering: .acquiringAndReleasing) == Self.waiting
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        source = subscription
        if assignment.assign(subscription) { source = nil }
    }

    override func next(_ element: Element) {
        guard claim() else { return }
        withUnsafePointer(to: element) { store(self, $0) }
        finish()
    }

    override func error(_ error: any Error) {
        guard claim() else { return }
        failure = error
        finish()
    }

    override func completed() {
        if claim() { finish() }
    }

    private func finish() {
        disposeOfSource()
        if let turnEnd = TurnEnd.current { turnEnd.add(self) } else { turnEnds() }
    }

    func turnEnds() { continuation?.resume() }

    private func disposeOfSource() {
        guard assignment.close().isUser else { return }
        source?.dispose()
        if assignment.release() { source = nil }
    }
}
