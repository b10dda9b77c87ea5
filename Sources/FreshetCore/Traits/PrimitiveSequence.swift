/// A stream whose type says how many elements it has. Source: RxSwift's `PrimitiveSequence`.
public struct PrimitiveSequence<Trait, Element>: Sendable {
    @usableFromInline let source: Observable<Element>

    @inlinable
    init(raw source: Observable<Element>) {
        self.source = source
    }
}

/// What is a ``PrimitiveSequence``. Source: RxSwift's `PrimitiveSequenceType`.
@preconcurrency
public protocol PrimitiveSequenceType<Trait, Element>: ObservableConvertibleType {
    associatedtype Trait

    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    @inlinable
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }

    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// Marks ``Single``.
public enum SingleTrait {}
/// Marks ``Maybe``.
public enum MaybeTrait {}
/// Marks ``Completable``.
public enum CompletableTrait {}

/// Exactly one element, or an error. Source: RxSwift's `Single`.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>
/// One element or none, or an error. Source: RxSwift's `Maybe`.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>
/// No element: an end, or an error. Source: RxSwift's `Completable`.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>
