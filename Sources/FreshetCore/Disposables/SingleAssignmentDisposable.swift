/// A place for one disposable that comes later; what comes after `dispose` is disposed of at once, and what comes after
/// `pause` is paused. Source: RxSwift's `SingleAssignmentDisposable`.
public final class SingleAssignmentDisposable: Cancelable, Pausable, @unchecked Sendable {
    private let assignment = Assignment()
    // Touched as the assignment says. Unchecked: checks make `catch` and `retry`, created and run once, 5 % dearer.
    @exclusivity(unchecked) private var current: (any Disposable)?

    public init() {}

    public var isDisposed: Bool { assignment.isClosed }

    /// Takes the disposable. A second one is a programmer's error.
    public func setDisposable(_ disposable: any Disposable) {
        current = disposable
        if assignment.assign(disposable) { current = nil }
    }

    public func dispose() {
        guard assignment.close().isUser else { return }
        current?.dispose()
        releaseSource()
    }

    public func pause() {
        guard assignment.hold(true) else { return }
        (current as? any Pausable)?.pause()
        releaseSource()
    }

    public func resume() {
        guard assignment.hold(false) else { return }
        (current as? any Pausable)?.resume()
        releaseSource()
    }

    private func releaseSource() {
        if assignment.release() { current = nil }
    }
}
