extension InfallibleType where Element: Sendable {
    /// The elements as an asynchronous sequence, for `for await`. Source: RxSwift's `values`.
    ///
    /// Each iterator subscribes when it is created. It disposes of the subscription when it is deallocated or when its
    /// task is canceled, which ends the sequence. The source is paused while 64 elements wait.
    public var values: InfallibleValues<Element> { values(buffering: 16...64) }

    /// Returns the elements as an asynchronous sequence that pauses the source while too many elements wait, as
    /// ``ObservableType/values(buffering:)``.
    public func values(buffering limits: ClosedRange<Int>) -> InfallibleValues<Element> {
        InfallibleValues(base: asObservable().values(buffering: limits))
    }
}

/// The elements of an infallible stream as an asynchronous sequence. See ``InfallibleType/values``.
public struct InfallibleValues<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    let base: ObservableValues<Element>

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: ObservableValues<Element>.Iterator

        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            do {
                return try await base.next(isolation: actor)
            } catch is CancellationError {
                return nil
            } catch {
                fatalErrorInDebug("An Infallible has failed: \(error)")
                return nil
            }
        }
    }
}
