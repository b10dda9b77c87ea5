/// A stream whose type states the number of its elements. Source: RxSwift's `PrimitiveSequence`.
public struct PrimitiveSequence<Trait, Element>: Sendable {
    @usableFromInline let source: Observable<Element>

    @inlinable
    init(raw source: Observable<Element>) {
        self.source = source
    }
}

/// A type that is a ``PrimitiveSequence``. Source: RxSwift's `PrimitiveSequenceType`.
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

/// The trait of ``Single``.
public enum SingleTrait {}
/// The trait of ``Maybe``.
public enum MaybeTrait {}
/// The trait of ``Completable``.
public enum CompletableTrait {}

/// A stream with exactly one element, or an error. Source: RxSwift's `Single`.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>
/// A stream with one element, no element, or an error. Source: RxSwift's `Maybe`.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>
/// A stream without elements, which ends with a completion or an error. Source: RxSwift's `Completable`.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>
