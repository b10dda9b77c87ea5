/// A subscription or another resource that can be ended. Source: RxSwift's `Disposable`.
@preconcurrency
public protocol Disposable: Sendable {
    /// Ends the resource. Can be called more than once, and on any thread.
    func dispose()
}

/// A disposable that knows whether it has been disposed of. Source: RxSwift's `Cancelable`.
@preconcurrency
public protocol Cancelable: Disposable {
    var isDisposed: Bool { get }
}

/// A subscription whose source can be paused. The effect is back pressure, as in TCP.
///
/// A linear operator forwards its source's subscription, and a combining operator forwards a pause to all its sources,
/// so that a slow sink stops the socket at the other end. After a pause, a source can still deliver elements that are
/// already under way, but must not produce more. Both methods can be called on any thread. One `resume` ends the pause,
/// however often `pause` was called.
@preconcurrency
public protocol Pausable: Disposable {
    /// Asks the source to stop producing elements.
    func pause()
    /// Asks the source to produce elements again.
    func resume()
}

extension Pausable {
    /// Pauses or resumes the source as `isHeld` says, and asks again afterwards, until the answer is unchanged. Otherwise a
    /// pause could arrive after the resume that follows it on another thread.
    ///
    /// - Parameter isHeld: whether the source has to be paused now. Can be called several times, on the calling thread.
    public func pauseOrResume(while isHeld: () -> Bool) {
        var isPaused: Bool
        repeat {
            isPaused = isHeld()
            if isPaused { pause() } else { resume() }
        } while isHeld() != isPaused
    }
}

/// Pauses a disposable that was stored after its slot was paused. A concurrent `resume` can have reached the disposable
/// before this pause. The pause is then undone, because otherwise the source would stay paused forever.
func pauseLate(_ disposable: any Disposable, while isPaused: () -> Bool) {
    guard let pausable = disposable as? any Pausable else { return }
    pausable.pause()
    if !isPaused() { pausable.pauseOrResume(while: isPaused) }
}
