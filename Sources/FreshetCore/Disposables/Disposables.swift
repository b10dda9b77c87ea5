import Synchronization

/// Functions that create disposables. Source: RxSwift's `Disposables`.
public enum Disposables {
    /// A disposable that does nothing.
    public static func create() -> any Disposable {
        NopDisposable.shared
    }

    /// A disposable that calls `dispose`, once.
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// A disposable that disposes of all of `disposables`.
    public static func create(_ disposables: any Disposable...) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }

    /// A disposable that disposes of all of `disposables`.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

@usableFromInline
final class NopDisposable: Disposable {
    @usableFromInline static let shared = NopDisposable()

    private init() {}

    @usableFromInline
    func dispose() {}
}

final class AnonymousDisposable: Cancelable, @unchecked Sendable {
    private let disposed = Atomic<Bool>(false)
    /// Accessed only by the first call of `dispose`.
    private var action: (@Sendable () -> Void)?

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    func dispose() {
        if disposed.exchange(true, ordering: .acquiringAndReleasing) { return }
        let action = action
        self.action = nil
        action?()
    }
}
