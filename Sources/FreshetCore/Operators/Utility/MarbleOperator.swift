extension ObservableType {
    /// Passes the stream on unchanged. When a subscription ends, `report` receives its events as a marble line. One
    /// column of the line is one `unit` of the scheduler's time since the subscription.
    ///
    ///     source:    -a--(bc)--|
    ///     marble(1): -a--(bc)--|
    ///
    /// Elements are shown by their descriptions, an error as `#`, and the completion as `|`. The line of a subscription
    /// that is disposed of ends without either sign. `Marble` in FreshetTesting reads such a line. The operator
    /// stores a line in memory until it reports the line, so use it for streams that you want to see completely.
    ///
    ///     prices.marble(.milliseconds(100), scheduler: loop).subscribe(show)    // --7-(89)-7<52>|
    @preconcurrency
    public func marble(
        _ unit: RxTimeInterval, scheduler: any SchedulerType,
        report: @escaping @Sendable (String) -> Void = { print($0) }
    ) -> Observable<Element> {
        precondition(unit > .zero, "marble(_:scheduler:report:) needs a unit of time above zero")
        return asObservable().linear { MarbleSink(to: $0, MarbleDrawing(every: unit, on: scheduler, report: report)) }
    }
}

/// Stores the line of one subscription until it has been reported.
private final class MarbleDrawing: Sendable {
    private let unit: RxTimeInterval
    private let scheduler: any SchedulerType
    private let start: Instant
    private let report: @Sendable (String) -> Void
    private let line = Locked<MarbleLine?>(MarbleLine())

    init(
        every unit: RxTimeInterval, on scheduler: any SchedulerType, report: @escaping @Sendable (String) -> Void
    ) {
        self.unit = unit
        self.scheduler = scheduler
        self.report = report
        start = scheduler.now
    }

    private var column: Int { Int(clamping: start.duration(to: scheduler.now).attoseconds / unit.attoseconds) }

    func add<Element>(_ event: Event<Element>) {
        let (column, sign) = (column, MarbleLine.Sign(event))
        // A virtual clock can go back. The marks keep their order.
        line.withLock { line in
            let last = line?.marks.last?.column ?? 0
            line?.marks.append(MarbleLine.Mark(max(column, last), sign))
        }
    }

    /// Reports the line. Later calls have no effect.
    func finish(width: Int = 0) {
        if let last = line.withLock({ $0.take() }) { report(MarbleLine(last.marks, width: width).text) }
    }

    func abandon() { finish(width: column) }
}

private final class MarbleSink<Element>: OperatorSink<Element, Element> {
    private let drawing: MarbleDrawing

    init(to downstream: Sink<Element>, _ drawing: MarbleDrawing) {
        self.drawing = drawing
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let ending = Disposables.create { [drawing] in drawing.abandon() }
        downstream.begin(with: CompositeDisposable(ending, subscription))
    }

    override func next(_ element: Element) {
        drawing.add(Event.next(element))
        downstream.next(element)
    }

    override func error(_ error: any Error) {
        drawing.add(Event<Element>.error(error))
        drawing.finish()
        downstream.error(error)
    }

    override func completed() {
        drawing.add(Event<Element>.completed)
        drawing.finish()
        downstream.completed()
    }
}
