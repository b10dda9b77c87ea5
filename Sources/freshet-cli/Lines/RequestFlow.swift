import Freshet

extension ObservableType where Element == [UInt8] {
    /// The answers to the requests that are the lines of this, a line each.
    ///
    /// It is what `lines` and `merge(maxConcurrent:)`, or `concatMapEager`, make of a stream of requests, in one piece: with
    /// a hundred thousand lines a second there is no room for a stream for each.
    ///
    /// - Parameters:
    ///   - loop: the client's, on which the bytes come.
    ///   - plan: how the requests are sent, and who counts them.
    func answered(by client: HTTPClient, on loop: Loop, _ plan: RequestFlow.Plan) -> Observable<[UInt8]> {
        let input = asObservable()
        return .create { observer in
            let flow = RequestFlow(on: loop, by: client, plan, observer)
            flow.begin(with: input)
            return flow
        }
    }
}

/// Takes lines as long as there is room for their requests and somebody takes the answers.
// Unchecked: all of it is the loop's.
final class RequestFlow: ObserverType, Pausable, @unchecked Sendable {
    struct Plan: Sendable {
        /// How many requests are under way at once; one whose answer waits for its turn is among them.
        var concurrency: Int
        var isOrdered: Bool
        /// How many bytes of a line are kept.
        var longestLine: Int
        var tally: RunTally
    }

    let loop: Loop
    private let client: HTTPClient
    private let plan: Plan
    private let observer: AnyObserver<[UInt8]>
    private let input = SerialDisposable()
    @exclusivity(unchecked) private var cutter: LineCutter
    @exclusivity(unchecked) private var reader = RequestLineReader()
    @exclusivity(unchecked) private var writer = AnswerWriter()

    @exclusivity(unchecked) private var exchanges: [Exchange] = []
    @exclusivity(unchecked) private var idle: [Exchange] = []
    /// Those under way in the order of their lines, if it is to be kept.
    @exclusivity(unchecked) private var queue = ArraySlice<Exchange>()
    @exclusivity(unchecked) private var running = 0

    @exclusivity(unchecked) private var end: Event<[UInt8]>?
    @exclusivity(unchecked) private var isInputHeld = false
    @exclusivity(unchecked) private var wantsInput = true
    @exclusivity(unchecked) private var isHeld = false
    @exclusivity(unchecked) private var isBusy = false
    @exclusivity(unchecked) private var isOver = false

    fileprivate init(on loop: Loop, by client: HTTPClient, _ plan: Plan, _ observer: AnyObserver<[UInt8]>) {
        self.loop = loop
        self.client = client
        self.plan = plan
        self.observer = observer
        cutter = LineCutter(longest: plan.longestLine)
    }

    fileprivate func begin(with pieces: Observable<[UInt8]>) {
        input.disposable = pieces.subscribe(self)
    }

    func on(_ event: Event<[UInt8]>) {
        run { $0.take(event) }
    }

    func pause() {
        run { flow in
            flow.isHeld = true
            for exchange in flow.exchanges { exchange.pause() }
        }
    }

    func resume() {
        run { flow in
            flow.isHeld = false
            for exchange in flow.exchanges { exchange.resume() }
            flow.proceed()
        }
    }

    func dispose() {
        run { $0.leave() }
    }

    /// At once if this is the loop.
    private func run(_ work: @escaping @Sendable (RequestFlow) -> Void) {
        if loop.isCurrent { work(self) } else { loop.execute { work(self) } }
    }

    private func take(_ event: Event<[UInt8]>) {
        if isOver { return }
        wantsInput = false
        if case .next(let piece) = event {
            cutter.take(piece)
        } else {
            cutter.finish()
            end = event
        }
        proceed()
        guard !wantsInput, !isOver, end == nil else { return }
        isInputHeld = true
        input.pause()
    }

    /// Begins what can begin.
    private func proceed() {
        // Who is at it already finds what has become free meanwhile.
        if isBusy { return }
        isBusy = true
        while hasRoom, let line = cutter.next({ read($0) }) { begin(line) }
        isBusy = false
        if hasRoom { refill() }
    }

    private func read(_ line: InputLine) -> RequestLine {
        plan.tally.read(line)
        return reader.read(line)
    }

    private var hasRoom: Bool { !isOver && !isHeld && running < plan.concurrency }

    private func begin(_ line: RequestLine) {
        let exchange = idle.popLast() ?? newExchange()
        running += 1
        if plan.isOrdered { queue.append(exchange) }
        exchange.begin(line)
        if isHeld { exchange.pause() }
    }

    private func newExchange() -> Exchange {
        let exchange = Exchange(of: self, by: client)
        exchanges.append(exchange)
        return exchange
    }

    /// There is no line left.
    private func refill() {
        if let end {
            guard running == 0 else { return }
            leave()
            observer.on(end)
        } else if !wantsInput {
            wantsInput = true
            guard isInputHeld else { return }
            isInputHeld = false
            input.resume()
        }
    }

    /// One of them is over.
    func ended(_ exchange: Exchange) {
        if isOver { return }
        plan.tally.count(exchange.answer)
        let text = writer.line(for: exchange.answer)
        exchange.forget()
        if plan.isOrdered {
            exchange.text = text
            while let first = queue.first, let text = first.text {
                queue.removeFirst()
                free(first)
                observer.onNext(text)
            }
        } else {
            free(exchange)
            observer.onNext(text)
        }
        proceed()
    }

    private func free(_ exchange: Exchange) {
        exchange.text = nil
        running -= 1
        idle.append(exchange)
    }

    private func leave() {
        if isOver { return }
        isOver = true
        input.dispose()
        for exchange in exchanges { exchange.cancel() }
        exchanges = []
        idle = []
        queue = []
    }
}
