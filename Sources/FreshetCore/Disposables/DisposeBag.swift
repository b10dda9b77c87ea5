/// Disposes of its members when it is deallocated. Source: RxSwift's `DisposeBag`.
///
///     let bag = DisposeBag()
///     source.subscribe(onNext: { … }).disposed(by: bag)
///
/// As the bag grows, it removes members that have ended already, if they are ``Cancelable``. A bag that lives as long
/// as the program therefore holds about twice as many members as are active, and not all that were ever inserted.
public final class DisposeBag: Sendable {
    private struct State {
        var members: [any Disposable] = []
        var limit = 32
    }

    private let state = Locked(State())

    public init() {}

    public convenience init(disposing disposables: any Disposable...) {
        self.init(disposing: disposables)
    }

    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    public func insert(_ disposable: any Disposable) {
        let isFull = state.withLock { state in
            state.members.append(disposable)
            return state.members.count >= state.limit
        }
        if isFull { sift() }
    }

    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    public func insert(_ disposables: [any Disposable]) {
        for disposable in disposables { insert(disposable) }
    }

    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// Removes the members that have ended. Reads their `isDisposed` outside the lock, because they can be foreign types.
    private func sift() {
        let members = state.withLock { exchange(&$0.members, with: []) }
        let lasting = members.filter { ($0 as? any Cancelable)?.isDisposed != true }
        state.withLock { state in
            state.members = lasting + state.members
            state.limit = max(32, state.members.count * 2)
        }
    }

    deinit {
        for disposable in state.withLock({ $0.members }) { disposable.dispose() }
    }

    /// Builds an array from disposables that are listed one per line.
    @resultBuilder
    public struct DisposableBuilder {
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
            disposables
        }
    }
}

extension Disposable {
    /// Inserts this disposable into `bag`, which disposes of it when `bag` is deallocated.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}
