extension ObservableType {
    /// The one element, at once; the stream ends with ``RxError/noElements`` if there is none, with
    /// ``RxError/moreThanOneElement`` after a second. Source: RxSwift's `single`.
    public func single() -> Observable<Element> {
        return asObservable().linear { SingleSink(to: $0) }
    }

    /// The same of the elements that satisfy `predicate`. Source: RxSwift's `single`.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        filter(predicate).single()
    }

    /// The one element, when the stream has completed; ``RxError/noElements`` if there is none,
    /// ``RxError/moreThanOneElement`` as soon as there is a second. Source: RxSwift's `asSingle`.
    public func asSingle() -> Single<Element> {
        let source = asObservable()
        return PrimitiveSequence(raw: source.linear { AtMostOneSink(to: $0, orElse: RxError.noElements) })
    }

    /// The one element if there is one, when the stream has completed; ``RxError/moreThanOneElement`` as soon as there is
    /// a second. Source: RxSwift's `asMaybe`.
    public func asMaybe() -> Maybe<Element> {
        let source = asObservable()
        return PrimitiveSequence(raw: source.linear { AtMostOneSink(to: $0, orElse: nil) })
    }
}

extension ObservableType where Element == Never {
    /// The same stream, typed. Source: RxSwift's `asCompletable`.
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
