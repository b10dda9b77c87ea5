import FreshetCore
import Synchronization

/// An observer that records its events without a lock, which only a serial stream allows. The flag finds an overlap, and the
/// thread sanitizer finds an event that does not happen after the previous one.
final class UnsynchronizedRecorder<Element>: ObserverType, @unchecked Sendable {
    private(set) var elements: [Element] = []
    private(set) var stops = 0
    private let busy = Atomic<Bool>(false)
    private let overlapped = Atomic<Bool>(false)

    var hasOverlapped: Bool { overlapped.load(ordering: .acquiring) }

    func on(_ event: Event<Element>) {
        if busy.exchange(true, ordering: .relaxed) { overlapped.store(true, ordering: .relaxed) }
        switch event {
        case .next(let element): elements.append(element)
        case .error, .completed: stops += 1
        }
        busy.store(false, ordering: .relaxed)
    }
}
