extension ObservableType {
    /// A stream from a source that keeps the rules of a ``Sink`` by itself: its events are serial, nothing follows a stop
    /// event, and nothing comes any more once it has been disposed of. So there is no guard between the two.
    ///
    /// In two steps, so that a subscriber who leaves at the first event finds something to end.
    @inlinable
    package static func ruled<Source: Disposable>(
        _ prepare: @escaping @Sendable (RuledObserver<Element>) -> Source, start: @escaping @Sendable (Source) -> Void
    ) -> Observable<Element> {
        Producer { sink in
            let source = prepare(RuledObserver(sink))
            sink.begin(with: source)
            start(source)
        }
    }

}

extension Observable {
    /// The same elements, each looked at before it goes on; an error that `check` throws ends the stream.
    @inlinable
    package final func checking(_ check: @escaping @Sendable (Element) throws -> Void) -> Observable<Element> {
        linear { CheckSink(to: $0, check) }
    }
}

/// Where the events of a ``ObservableType/ruled(_:start:)`` go.
// Unchecked: as the source is, its events are serial.
@usableFromInline
package struct RuledObserver<Element>: @unchecked Sendable {
    @usableFromInline let sink: Sink<Element>

    @inlinable
    init(_ sink: Sink<Element>) {
        self.sink = sink
    }

    @inlinable
    package func onNext(_ element: Element) { sink.next(element) }
    @inlinable
    package func onError(_ error: any Error) { sink.error(error) }
    @inlinable
    package func onCompleted() { sink.completed() }
}

@usableFromInline
final class CheckSink<Element>: Pipe<Element, Element> {
    @usableFromInline let check: (Element) throws -> Void

    @inlinable
    init(to downstream: Sink<Element>, _ check: @escaping (Element) throws -> Void) {
        self.check = check
        super.init(to: downstream)
    }

    @usableFromInline
    override func next(_ element: Element) {
        do { try check(element) } catch { return downstream.error(error) }
        downstream.next(element)
    }
}
