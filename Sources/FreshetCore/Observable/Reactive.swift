/// A namespace for the reactive extensions of a `Base`, which keeps them apart from the members of `Base`.
/// Source: RxSwift's `Reactive`.
///
///     extension Reactive where Base: Session {
///         var user: Observable<User> { … }
///     }
///
/// FreshetFoundation adds a ``Binder`` for each writable property: `player.rx.volume`.
@dynamicMemberLookup
public struct Reactive<Base> {
    public let base: Base

    public init(_ base: Base) {
        self.base = base
    }

    /// Placeholder for the subscripts that FreshetFoundation adds: `@dynamicMemberLookup` requires one in this declaration.
    @available(*, unavailable)
    public subscript(dynamicMember property: ReferenceWritableKeyPath<Base, Never>) -> Never { fatalError() }
}

extension Reactive: Sendable where Base: Sendable {}

/// A type with an `rx` namespace. Source: RxSwift's `ReactiveCompatible`.
public protocol ReactiveCompatible {
    associatedtype ReactiveBase

    static var rx: Reactive<ReactiveBase>.Type { get set }
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// The reactive extensions of the type.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        // The setter lets extensions have members that change the base.
        set {}
    }

    /// The reactive extensions of this value.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
