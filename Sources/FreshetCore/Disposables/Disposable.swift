/// What can be ended. Source: RxSwift's `Disposable`.
@preconcurrency
public protocol Disposable: Sendable {
    /// Ends it. Can be called more than once, and from any thread.
    func dispose()
}

/// A disposable that knows whether it has been disposed of. Source: RxSwift's `Cancelable`.
@preconcurrency
public protocol Cancelable: Disposable {
    var isDisposed: Bool { get }
}

/// A subscription whose source can be held: back pressure, as in TCP.
///
/// Linear operators hand their source's subscription on, combining ones forward to all their sources, so that a sink
/// that falls behind stops the socket at the other end. A source may deliver what was already under way after a pause;
/// it must not produce more. Both calls can come from any thread; `resume` undoes `pause` however often that was called.
@preconcurrency
public protocol Pausable: Disposable {
    /// Asks the source to hold back.
    func pause()
    /// Asks the source to go on.
    func resume()
}

/// Pauses what came to its place after the place was paused. A `resume` in the meantime may have reached it first, and
/// must have the last word: a source that nobody holds would never go on.
func pauseLate(_ disposable: any Disposable, while isPaused: () -> Bool) {
    guard let pausable = disposable as? any Pausable else { return }
    pausable.pause()
    if !isPaused() { pausable.resume() }
}
