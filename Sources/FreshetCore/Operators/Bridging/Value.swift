extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
    /// The success; throws the failure. Source: RxSwift's `value`.
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
    /// The element, or `nil` if it completes without. Source: RxSwift's `value`.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. In a task that has been cancelled
    /// before, it returns what comes at once.
    @inlinable
    public var value: Element? {
        get async throws { try await Awaiter<Element>.result(of: asObservable(), evenIfCanceled: true) }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Returns when it completes. Source: RxSwift's `value`.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`. In a task that has been cancelled
    /// before, it returns if the end comes at once.
    @inlinable
    public var value: Void {
        get async throws { _ = try await Awaiter<Element>.result(of: asObservable(), evenIfCanceled: true) }
    }
}
