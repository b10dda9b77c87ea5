/// A slot for one disposable that is set later. If it is set after `dispose`, it is disposed of at once. If it is set
/// after `pause`, it is paused. Source: RxSwift's `SingleAssignmentDisposable`.
public final class SingleAssignmentDisposable: Cancelable, Pausable, @unchecked Sendable {
    private let assignment = Assignment()
    // Accessed only when `assignment` permits it. Unchecked, because exclusivity checks make `catch` and `retry`,
    // created and run once, 5 % slower.
    @exclusivity(unchecked) private var current: (any Disposable)?

    public init() {}

    public var isDisposed: Bool { assignment.isClosed }

    /// Sets the disposable. Setting a second one is a programming error.
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
