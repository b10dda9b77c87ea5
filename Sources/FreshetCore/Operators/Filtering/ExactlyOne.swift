extension ObservableType {
    /// Emits the only element as soon as it arrives. The stream fails with ``RxError/noElements`` if it completes
    /// without an element, and with ``RxError/moreThanOneElement`` at the second element. Source: RxSwift's `single`.
    public func single() -> Observable<Element> {
        asObservable().linear { SingleSink(to: $0) }
    }

    /// Emits the only element that satisfies `predicate`, and fails like ``single()`` otherwise. An error that
    /// `predicate` throws ends the stream. Source: RxSwift's `single`.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        filter(predicate).single()
    }

    /// Emits the only element when the stream completes. The single fails with ``RxError/noElements`` if there is no
    /// element, and with ``RxError/moreThanOneElement`` at the second element. Source: RxSwift's `asSingle`.
    public func asSingle() -> Single<Element> {
        PrimitiveSequence(raw: asObservable().linear { AtMostOneSink(to: $0, orElse: RxError.noElements) })
    }

    /// Emits the only element, if there is one, when the stream completes. The maybe fails with
    /// ``RxError/moreThanOneElement`` at the second element. Source: RxSwift's `asMaybe`.
    public func asMaybe() -> Maybe<Element> {
        PrimitiveSequence(raw: asObservable().linear { AtMostOneSink(to: $0, orElse: nil) })
    }
}

extension ObservableType where Element == Never {
    /// Returns this stream as a completable. Source: RxSwift's `asCompletable`.
    public func asCompletable() -> Completable {
        PrimitiveSequence(raw: asObservable())
    }
}

private final class SingleSink<Element>: OperatorSink<Element, Element> {
    private var hasElement = false

    override func next(_ element: Element) {
        if hasElement { return downstream.error(RxError.moreThanOneElement) }
        hasElement = true
        downstream.next(element)
    }

    override func completed() {
        if hasElement { downstream.completed() } else { downstream.error(RxError.noElements) }
    }
}

private final class AtMostOneSink<Element>: ClosingOperatorSink<Element, Element> {
    private let absence: (any Error)?
    private var element: Element?

    init(to downstream: Sink<Element>, orElse absence: (any Error)?) {
        self.absence = absence
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        if self.element == nil { self.element = element } else { downstream.error(RxError.moreThanOneElement) }
    }

    override func completed() {
        if let element {
            finish(with: element)
        } else if let absence {
            downstream.error(absence)
        } else {
            downstream.completed()
        }
    }
}
