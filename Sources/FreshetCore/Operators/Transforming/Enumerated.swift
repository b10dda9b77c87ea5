extension ObservableType {
    /// Emits each element with its index, counted from zero. Source: RxSwift's `enumerated`.
    public func enumerated() -> Observable<(index: Int, element: Element)> {
        asObservable().linear { EnumeratedSink(to: $0) }
    }
}

private final class EnumeratedSink<Element>: OperatorSink<Element, (index: Int, element: Element)> {
    private var index = 0

    override func next(_ element: Element) {
        let index = index
        self.index += 1
        downstream.next((index: index, element: element))
    }
}
