extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
    /// Subscribes, and returns the success or throws the failure. Source: RxSwift's `value`.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`.
    @inlinable
    public var value: Element {
        get async throws {
            guard let element = try await Awaiter<Element>.result(of: asObservable()) else { throw RxError.noElements }
            return element
        }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
    /// Subscribes, and returns the element, or `nil` if the maybe completes without one. Source: RxSwift's `value`.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. If the task is already
    /// cancelled, the call still subscribes and returns a result that arrives at once.
    @inlinable
    public var value: Element? {
        get async throws { try await Awaiter<Element>.result(of: asObservable(), evenIfCanceled: true) }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes, and returns when the completable completes. Source: RxSwift's `value`.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. If the task is already
    /// cancelled, the call still subscribes and returns if the completion arrives at once.
    @inlinable
    public var value: Void {
        get async throws { _ = try await Awaiter<Element>.result(of: asObservable(), evenIfCanceled: true) }
    }
}
