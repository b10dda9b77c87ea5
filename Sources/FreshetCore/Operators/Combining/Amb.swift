extension ObservableType {
    /// Emits the events of the stream that emits an event first, and disposes of the other stream.
    /// Source: RxSwift's `amb`.
    public func amb<Source: ObservableType>(_ right: Source) -> Observable<Element> where Source.Element == Element {
        .amb([asObservable(), right.asObservable()])
    }

    /// Emits the events of the stream in `sequence` that emits an event first, and disposes of the other streams.
    /// Source: RxSwift's `amb`.
    public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        let sources = Array(sequence)
        return Producer(after: sources) { sink in
            let coordinator = AmbCoordinator(to: sink)
            sink.begin(with: coordinator.subscriptions)
            for (number, source) in sources.enumerated() where !coordinator.subscriptions.isDisposed {
                coordinator.add(source, as: number)
            }
        }
    }
}

private final class AmbCoordinator<Element>: Coordinator<(source: Int, event: Event<Element>), Element> {
    private let places: Locked<(all: [SingleAssignmentDisposable], winner: Int?)> = Locked(([], nil))

    // Accessed only under the drain.
    private var winner: Int?

    func add(_ source: Observable<Element>, as number: Int) {
        let place = SingleAssignmentDisposable()
        let winner = places.withLock { places in
            places.all.append(place)
            return places.winner
        }
        if winner != nil { return }
        _ = subscriptions.insert(place)
        source.subscribe(AmbSink(of: self, number, place))
    }

    override func handle(_ signal: (source: Int, event: Event<Element>)) {
        if winner == nil {
            winner = signal.source
            let others = places.withLock { places in
                places.winner = signal.source
                return places.all
            }
            for (number, place) in others.enumerated() where number != signal.source { place.dispose() }
        }
        if winner == signal.source { downstream.on(signal.event) }
    }
}

private final class AmbSink<Element>: Sink<Element> {
    private let coordinator: AmbCoordinator<Element>
    private let number: Int
    private let place: SingleAssignmentDisposable

    init(of coordinator: AmbCoordinator<Element>, _ number: Int, _ place: SingleAssignmentDisposable) {
        self.coordinator = coordinator
        self.number = number
        self.place = place
    }

    override func begin(with subscription: any Disposable & AnyObject) { place.setDisposable(subscription) }
    override func next(_ element: Element) { coordinator.submit((number, .next(element))) }

    override func error(_ error: any Error) {
        place.dispose()
        coordinator.submit((number, .error(error)))
    }

    override func completed() {
        place.dispose()
        coordinator.submit((number, .completed))
    }
}
