import Freshet

extension ObservableType where Element == [UInt8] {
    /// Sends the request of each line, and emits one line of output per request.
    ///
    /// It does in one operator what `lines` and `merge(maxConcurrent:)`, or `concatMapEager`, do with a stream of requests. At
    /// 100,000 lines per second, one stream per line would be too slow.
    ///
    /// - Parameters:
    ///   - loop: the loop of the client, which also delivers the bytes.
    ///   - plan: how the requests are sent, and the tally that counts them.
    func responses(from client: HTTPClient, on loop: Loop, _ plan: RequestFlow.Plan) -> Observable<[UInt8]> {
        let input = asObservable()
        return .create { observer in
            let flow = RequestFlow(on: loop, by: client, plan, observer)
            flow.begin(with: input)
            return flow
        }
    }
}

/// Reads lines while there is room for their requests and the observer accepts the output.
final class RequestFlow: ObserverType, Pausable {
    struct Plan: Sendable {
        /// How many requests are under way at once, including those whose response waits for its turn.
        var concurrency: Int
        var isOrdered: Bool
        /// The longest line in bytes.
        var longestLine: Int
        var tally: RunTally
        /// Whether the lines of output say which responses are from a cache.
        var hasCache = false
        /// The note about requests that the profile has no credential for; `nil` without a profile.
        var missingCredential: MissingCredentialNote?
        /// Emits when the flow has to end before its input does.
        var stop = Observable<Void>.never()
    }

    let loop: Loop
    private let client: HTTPClient
    private let plan: Plan
    private let observer: AnyObserver<[UInt8]>
    private let input = SerialDisposable()
    private let stopping = SerialDisposable()
    private let state: LoopBound<State>

    fileprivate init(on loop: Loop, by client: HTTPClient, _ plan: Plan, _ observer: AnyObserver<[UInt8]>) {
        self.loop = loop
        self.client = client
        self.plan = plan
        self.observer = observer
        state = .sending(State(plan), on: loop)
    }

    fileprivate func begin(with pieces: Observable<[UInt8]>) {
        input.disposable = pieces.subscribe(self)
        stopping.disposable = plan.stop.subscribe(onNext: { [weak self] in self?.run { $0.stop() } })
    }

    func on(_ event: Event<[UInt8]>) {
        run { $0.receive(event) }
    }

    func pause() {
        run { flow in
            // The output asks for a pause again with each line that it receives meanwhile.
            guard flow.state.value.output == .open else { return }
            flow.state.value.output = .held
            for exchange in flow.state.value.exchanges { exchange.pause() }
        }
    }

    func resume() {
        run { flow in
            guard flow.state.value.output == .held else { return }
            flow.state.value.output = .open
            for exchange in flow.state.value.exchanges { exchange.resume() }
            flow.proceed()
        }
    }

    func dispose() {
        run { $0.leave() }
    }

    /// Runs `work` on the loop, at once if this is the loop's thread.
    private func run(_ work: @escaping @Sendable (RequestFlow) -> Void) {
        if loop.isCurrent { work(self) } else { loop.execute { work(self) } }
    }

    private func receive(_ event: Event<[UInt8]>) {
        guard state.value.apply(event) else { return }
        proceed()
        if state.value.holdsInput() { input.pause() }
    }

    /// Sends requests while there are lines and room.
    private func proceed() {
        // The `while` below is running already, and sees the room that has become free.
        if state.value.isBusy { return }
        state.value.isBusy = true
        while let line = state.value.nextLine() { begin(line) }
        state.value.isBusy = false
        if state.value.hasRoom { refill() }
    }

    private func begin(_ line: RequestLine) {
        let exchange = state.value.begin { LineExchange(of: self, by: client) }
        exchange.begin(line)
        if state.value.output == .held { exchange.pause() }
    }

    /// Resumes the input or ends the flow, because no line is left.
    private func refill() {
        switch state.value.refill() {
        case .wait: break
        case .resumeInput: input.resume()
        case .end(let event):
            leave()
            observer.on(event)
        }
    }

    /// Writes the output of an exchange that has ended, and sends the next requests.
    func ended(_ exchange: LineExchange) {
        guard let lines = state.value.end(of: exchange) else { return }
        for line in lines { observer.onNext(line) }
        proceed()
    }

    /// Ends the requests under way, each with its line, and then the flow. No further line begins.
    private func stop() {
        guard state.value.output != .closed else { return }
        state.value.isBusy = true
        for exchange in state.value.exchanges { exchange.stop() }
        leave()
        observer.on(.completed)
    }

    private func leave() {
        let exchanges = state.value.leave()
        input.dispose()
        stopping.dispose()
        for exchange in exchanges { exchange.cancel() }
    }
}

extension RequestFlow {
    /// The lines, and the requests that are under way.
    private struct State {
        enum Input {
            case awaited
            /// The latest piece has lines that wait for room.
            case arrived
            /// The same, and the input is paused.
            case held
            case ended(Event<[UInt8]>)
        }

        enum Output {
            case open
            /// The observer accepts no lines for now.
            case held
            case closed
        }

        enum Refill {
            case wait
            case resumeInput
            case end(Event<[UInt8]>)
        }

        private let plan: Plan
        private var cutter: LineCutter
        private var reader = RequestLineReader()
        private var writer: ResponseWriter
        private var missingCredential: MissingCredentialNote?

        private(set) var exchanges: [LineExchange] = []
        private var idle: [LineExchange] = []
        /// The exchanges under way in the order of their lines, if that order is kept.
        private var queue = ArraySlice<LineExchange>()
        private var running = 0

        private var input = Input.awaited
        var output = Output.open
        /// Whether requests are being sent.
        var isBusy = false

        init(_ plan: Plan) {
            self.plan = plan
            cutter = LineCutter(longest: plan.longestLine)
            writer = ResponseWriter(hasCache: plan.hasCache)
            missingCredential = plan.missingCredential
        }

        var hasRoom: Bool { output == .open && running < plan.concurrency }

        /// - Returns: whether the flow still runs.
        mutating func apply(_ event: Event<[UInt8]>) -> Bool {
            if output == .closed { return false }
            if case .next(let piece) = event {
                cutter.append(piece)
                // A paused input can deliver one piece more.
                if case .awaited = input { input = .arrived }
            } else {
                cutter.finish()
                input = .ended(event)
            }
            return true
        }

        /// - Returns: whether the caller has to pause the input.
        mutating func holdsInput() -> Bool {
            guard output != .closed, case .arrived = input else { return false }
            input = .held
            return true
        }

        mutating func nextLine() -> RequestLine? {
            hasRoom ? Self.nextLine(of: &cutter, &reader, plan.tally) : nil
        }

        private static func nextLine(
            of cutter: inout LineCutter, _ reader: inout RequestLineReader, _ tally: RunTally
        ) -> RequestLine? {
            cutter.next { line in
                tally.read(line)
                return reader.read(line)
            }
        }

        /// - Returns: the exchange for the next line.
        mutating func begin(_ make: () -> LineExchange) -> LineExchange {
            running += 1
            let exchange = idle.popLast() ?? make()
            if exchanges.count < running { exchanges.append(exchange) }
            if plan.isOrdered { queue.append(exchange) }
            return exchange
        }

        mutating func refill() -> Refill {
            switch input {
            case .ended(let event): return running == 0 ? .end(event) : .wait
            case .awaited: return .wait
            case .arrived:
                input = .awaited
                return .wait
            case .held:
                input = .awaited
                return .resumeInput
            }
        }

        /// - Returns: the lines to write now; `nil` if the flow has ended.
        mutating func end(of exchange: LineExchange) -> [[UInt8]]? {
            if output == .closed { return nil }
            plan.tally.count(exchange.response)
            if let head = exchange.response.head, let url = exchange.response.url {
                missingCredential?.report(head.status.code, from: url.origin)
            }
            let text = writer.line(for: exchange.response)
            exchange.forget()
            guard plan.isOrdered else {
                free(exchange)
                return [text]
            }
            exchange.text = text
            var lines: [[UInt8]] = []
            while let first = queue.first, let text = first.text {
                queue.removeFirst()
                free(first)
                lines.append(text)
            }
            return lines
        }

        private mutating func free(_ exchange: LineExchange) {
            exchange.text = nil
            running -= 1
            idle.append(exchange)
        }

        /// - Returns: the exchanges to cancel.
        mutating func leave() -> [LineExchange] {
            if output == .closed { return [] }
            output = .closed
            defer {
                exchanges = []
                idle = []
                queue = []
            }
            return exchanges
        }
    }
}
