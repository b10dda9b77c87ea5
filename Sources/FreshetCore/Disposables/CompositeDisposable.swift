/// A set of disposables that are disposed of together. A disposable that is inserted after `dispose` is disposed of at
/// once. Source: RxSwift's `CompositeDisposable`.
public final class CompositeDisposable: Cancelable, Pausable {
    /// Identifies a member for ``remove(for:)``.
    public struct DisposeKey: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var members: [UInt64: any Disposable]? = [:]
        var nextKey: UInt64 = 0
        var isPaused = false
    }

    private let state: Locked<State>

    public convenience init() {
        self.init(disposables: [])
    }

    public convenience init(_ disposables: any Disposable...) {
        self.init(disposables: disposables)
    }

    public init(disposables: [any Disposable]) {
        state = Locked(State())
        for disposable in disposables { _ = insert(disposable) }
    }

    public var isDisposed: Bool { state.withLock { $0.members == nil } }

    /// The number of members.
    public var count: Int { state.withLock { $0.members?.count ?? 0 } }

    /// Inserts a member.
    ///
    /// - Returns: the key of the member, or `nil` if the set has been disposed of. In that case `disposable` is
    ///   disposed of at once.
    @discardableResult
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        let (key, isPaused) = state.withLock { state -> (UInt64?, Bool) in
            guard state.members != nil else { return (nil, false) }
            state.nextKey += 1
            state.members?[state.nextKey] = disposable
            return (state.nextKey, state.isPaused)
        }
        guard let key else {
            disposable.dispose()
            return nil
        }
        if isPaused { pauseLate(disposable) { state.withLock { $0.isPaused } } }
        return DisposeKey(number: key)
    }

    /// Disposes of one member and removes it.
    public func remove(for key: DisposeKey) {
        state.withLock { $0.members?.removeValue(forKey: key.number) }?.dispose()
    }

    public func dispose() {
        let members = state.withLock { $0.members.take() }
        members?.sorted { $0.key < $1.key }.forEach { $0.value.dispose() }
    }

    public func pause() {
        let members = state.withLock { state in
            state.isPaused = true
            return state.members
        }
        members?.values.forEach { ($0 as? any Pausable)?.pause() }
    }

    /// Resumes the members in the order of their insertion. An element of one member can pause all of them again, and the members
    /// after it then wait for the next resume.
    public func resume() {
        let members = state.withLock { state in
            state.isPaused = false
            return state.members
        }
        for (_, member) in members?.sorted(by: { $0.key < $1.key }) ?? [] {
            guard let source = member as? any Pausable else { continue }
            if isHeld { return }
            source.pauseOrResume { isHeld }
        }
    }

    private var isHeld: Bool { state.withLock { $0.isPaused } }
}
