/// The reactive side of a `Base`: a place for extensions that do not get in the way of its own members.
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

    /// Stands for those that FreshetFoundation adds: the attribute asks for one beside it.
    @available(*, unavailable)
    public subscript(dynamicMember property: ReferenceWritableKeyPath<Base, Never>) -> Never { fatalError() }
}

extension Reactive: Sendable where Base: Sendable {}

/// What has an `rx`. Source: RxSwift's `ReactiveCompatible`.
public protocol ReactiveCompatible {
    associatedtype ReactiveBase

    static var rx: Reactive<ReactiveBase>.Type { get set }
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// The extensions of the type.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        // So that an extension can have members that change the base.
        set {}
    }

    /// The extensions of this.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
