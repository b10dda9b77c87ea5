extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
    /// The success; throws the failure. Source: RxSwift's `value`.
    ///
    /// Cancelling the task disposes of the subscription and throws `CancellationError`.
    public var value: Element {
        get async throws {
            var iterator = asObservable().values.makeAsyncIterator()
            guard let element = try await iterator.next() else { throw RxError.noElements }
            return element
        }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
    /// The element, or `nil` if it completes without. Source: RxSwift's `value`.
    public var value: Element? {
        get async throws {
            var iterator = asObservable().values.makeAsyncIterator()
            return try await iterator.next()
        }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Returns when it completes. Source: RxSwift's `value`.
    public var value: Void {
        get async throws {
            var iterator = asObservable().values.makeAsyncIterator()
            _ = try await iterator.next()
        }
    }
}
