/// Ends what was put into it when it is deallocated. Source: RxSwift's `DisposeBag`.
public final class DisposeBag: Sendable {
    private let members: Locked<[any Disposable]?> = Locked([])

    public init() {}

    public convenience init(disposing disposables: any Disposable...) {
        self.init()
        insert(disposables)
    }

    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    public func insert(_ disposables: [any Disposable]) {
        members.withLock { $0?.append(contentsOf: disposables) }
    }

    deinit {
        let members = members.withLock { members in
            defer { members = nil }
            return members
        }
        members?.forEach { $0.dispose() }
    }
}

extension Disposable {
    /// Leaves the end of this to `bag`.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}
