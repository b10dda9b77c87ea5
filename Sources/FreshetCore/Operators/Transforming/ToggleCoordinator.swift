enum ToggleSignal<Element, Opening> {
    case source(Event<Element>)
    case opened(Opening)
    case closed(Int)
    case failed(any Error)
}

/// The base class of `bufferToggle` and `windowToggle`. It coordinates the source, the openings, and the stream that
/// closes each opening.
class ToggleCoordinator<Element, Opening, Result>: Coordinator<ToggleSignal<Element, Opening>, Result> {
    private let closing: (Opening) throws -> Observable<Void>
    private var count = 0

    init(to downstream: Sink<Result>, _ closing: @escaping (Opening) throws -> Observable<Void>) {
        self.closing = closing
        super.init(to: downstream)
    }

    /// Overridden by subclasses to handle one signal each. `number` is the number of the opening.
    func received(_ element: Element) {}
    func opened(_ number: Int) {}
    func closed(_ number: Int) {}
    func failed(_ error: any Error) { downstream.error(error) }
    func ended() {}

    final func subscribe(to source: Observable<Element>, _ openings: Observable<Opening>) {
        subscribe(to: openings, next: { .opened($0) }, error: { .failed($0) })
        if !subscriptions.isDisposed { source.subscribe(InnerObserver(of: self) { .source($0) }) }
    }

    final override func handle(_ signal: ToggleSignal<Element, Opening>) {
        switch signal {
        case .source(.next(let element)): received(element)
        case .source(.completed): ended()
        case .source(.error(let error)), .failed(let error): failed(error)
        case .closed(let number): closed(number)
        case .opened(let opening):
            do {
                let closing = try closing(opening)
                count += 1
                opened(count)
                if !subscriptions.isDisposed {
                    subscribe(to: closing, next: { [count] _ in .closed(count) }, error: { .failed($0) })
                }
            } catch {
                failed(error)
            }
        }
    }
}
