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
    private let slots: Locked<(all: [SingleAssignmentDisposable], winner: Int?)> = Locked(([], nil))

    // Accessed only under the drain.
    private var winner: Int?

    func add(_ source: Observable<Element>, as number: Int) {
        let slot = SingleAssignmentDisposable()
        let winner = slots.withLock { slots in
            slots.all.append(slot)
            return slots.winner
        }
        if winner != nil { return }
        _ = subscriptions.insert(slot)
        source.subscribe(AmbSink(of: self, number, slot))
    }

    override func handle(_ signal: (source: Int, event: Event<Element>)) {
        if winner == nil {
            winner = signal.source
            let others = slots.withLock { slots in
                slots.winner = signal.source
                return slots.all
            }
            for (number, slot) in others.enumerated() where number != signal.source { slot.dispose() }
        }
        if winner == signal.source { downstream.on(signal.event) }
    }
}

private final class AmbSink<Element>: Sink<Element> {
    private let coordinator: AmbCoordinator<Element>
    private let number: Int
    private let slot: SingleAssignmentDisposable

    init(of coordinator: AmbCoordinator<Element>, _ number: Int, _ slot: SingleAssignmentDisposable) {
        self.coordinator = coordinator
        self.number = number
        self.slot = slot
    }

    override func begin(with subscription: any Disposable & AnyObject) { slot.setDisposable(subscription) }
    override func next(_ element: Element) { coordinator.submit((number, .next(element))) }

    override func error(_ error: any Error) {
        slot.dispose()
        coordinator.submit((number, .error(error)))
    }

    override func completed() {
        slot.dispose()
        coordinator.submit((number, .completed))
    }
}
