extension InfallibleType where Element: Sendable {
    /// The elements as an asynchronous sequence, for `for await`. Source: RxSwift's `values`.
    ///
    /// Each iterator subscribes when it is made, and disposes of the subscription when it is let go or its task is
    /// cancelled, which ends the sequence. The source is held while 64 elements wait.
    public var values: InfallibleValues<Element> { values(buffering: 16...64) }

    /// The elements as an asynchronous sequence that holds the source while too many wait, as
    /// ``ObservableType/values(buffering:)``.
    public func values(buffering limits: ClosedRange<Int>) -> InfallibleValues<Element> {
        InfallibleValues(base: asObservable().values(buffering: limits))
    }
}

/// The elements of an infallible stream, to be taken one after the other; see ``InfallibleType/values``.
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
