import Synchronization

/// A disposable that only records whether it has been disposed of. Source: RxSwift's `BooleanDisposable`.
public final class BooleanDisposable: Cancelable {
    private let disposed: Atomic<Bool>

    public init() {
        disposed = Atomic(false)
    }

    public init(isDisposed: Bool) {
        disposed = Atomic(isDisposed)
    }

    public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    public func dispose() {
        disposed.store(true, ordering: .releasing)
    }
}
