import Synchronization

/// The end of a chain for whose one result a task waits.
///
/// The task's continuation is there before the stream begins, and whoever comes first, an event or the task's
/// cancellation, resumes it: so it is resumed exactly once, and without a lock.
///
/// On a thread that works in turns the task is resumed at the end of the turn, so that the threads of tasks are woken once
/// for all results of the turn.
// Unchecked: who has settled it touches the result, and after that the task.
@usableFromInline
final class Awaiter<Element: Sendable>: Sink<Element>, TurnWork, @unchecked Sendable {
    // No enum: within a generic type it would be a generic type too, which is looked up each time.
    private static var new: UInt8 { 0 }
    private static var waiting: UInt8 { 1 }
    private static var claimed: UInt8 { 2 }

    private let phase = Atomic<UInt8>(0)
    private let assignment = Assignment()
    // Touched as the assignment says.
    private var source: (any Disposable & AnyObject)?
    private var continuation: UnsafeContinuation<Void, Never>?
    @usableFromInline private(set) var failure: (any Error)?
    /// Where the element goes, if one comes.
    @usableFromInline let place: UnsafeMutablePointer<Element>
    @usableFromInline var hasElement = false
    private let store: (Awaiter, UnsafePointer<Element>) -> Void

    /// - Parameter store: puts the element into its place; made where its type is known.
    @usableFromInline
    init(_ place: UnsafeMutablePointer<Element>, store: @escaping (Awaiter, UnsafePointer<Element>) -> Void) {
        Resources.increment()
        self.place = place
        self.store = store
        super.init()
    }

    deinit { Resources.decrement() }

    /// The first element of `source`, or `nil` if it completes without one.
    ///
    /// - Parameter evenIfCanceled: whether a task that has been cancelled already subscribes too, and gets what comes at once.
    @inlinable
    static func result(of source: Observable<Element>, evenIfCanceled: Bool = false) async throws -> Element? {
        let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
        defer { place.deallocate() }
        let awaiter = Awaiter(place) { awaiter, element in
            awaiter.place.initialize(to: element.pointee)
            awaiter.hasElement = true
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { awaiter.wait($0, for: source, evenIfCanceled: evenIfCanceled) }
        } onCancel: {
            awaiter.cancel()
        }
        if let failure = awaiter.failure { throw failure }
        return awaiter.hasElement ? place.move() : nil
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

    /// Comes from any thread, and before the wait too.
    @usableFromInline
    func cancel() {
        guard claim() else { return }
        failure = CancellationError()
        disposeOfSource()
        continuation?.resume()
    }

    /// Whether the caller is the first, and the task waits.
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
