/// A place for one disposable that comes later; what comes after `dispose` is disposed of at once, and what comes after
/// `pause` is paused. Source: RxSwift's `SingleAssignmentDisposable`.
public final class SingleAssignmentDisposable: Cancelable, Pausable, @unchecked Sendable {
    private let assignment = Assignment()
    // Touched as the assignment says. Unchecked: checks make five `flatMap`s, created and run once, 11 % dearer.
    @exclusivity(unchecked) private var current: (any Disposable)?

    public init() {}

    public var isDisposed: Bool { assignment.isClosed }

    /// Takes the disposable. A second one is a programmer's error.
    public func setDisposable(_ disposable: any Disposable) {
        current = disposable
        switch assignment.assign() {
        case .keep: return
        case .dispose: disposable.dispose()
        case .pause: pauseLate(disposable) { assignment.isHeld }
        }
        leave()
    }

    public func dispose() {
        guard assignment.close().isUser else { return }
        current?.dispose()
        leave()
    }

    public func pause() {
        guard assignment.hold(true) else { return }
        (current as? any Pausable)?.pause()
        leave()
    }

    public func resume() {
        guard assignment.hold(false) else { return }
        (current as? any Pausable)?.resume()
        leave()
    }

    private func leave() {
        if assignment.leave() { current = nil }
    }
}
