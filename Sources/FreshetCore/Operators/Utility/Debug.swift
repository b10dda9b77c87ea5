extension ObservableType {
    /// Prints the events and the end of each subscription. Source: RxSwift's `debug`.
    ///
    /// A line is `2026-11-21 04:40:00.123: identifier -> Event next(1)`, in local time. Elements are printed with their
    /// own descriptions, so a credential is visible only if its type describes it.
    ///
    /// - Parameters:
    ///   - identifier: the name in each line. The default is the location of the call.
    ///   - trimOutput: whether an event that is longer than 40 characters is shortened to its first and last 20
    ///     characters.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - function: the function of the call.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Observable<Element> {
        let name = identifier ?? "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
        return debug(trimOutput: trimOutput) { print("\(LocalTime.timestamp): \(name) -> \($0)") }
    }

    func debug(trimOutput: Bool, to log: @escaping @Sendable (String) -> Void) -> Observable<Element> {
        asObservable().linear { downstream in
            log("subscribed")
            return DebugSink(to: downstream, isTrimmed: trimOutput, log: log)
        }
    }
}

private final class DebugSink<Element>: OperatorSink<Element, Element> {
    private let isTrimmed: Bool
    private let log: @Sendable (String) -> Void

    init(to downstream: Sink<Element>, isTrimmed: Bool, log: @escaping @Sendable (String) -> Void) {
        self.isTrimmed = isTrimmed
        self.log = log
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let log = log
        let ending = Disposables.create { log("isDisposed") }
        downstream.begin(with: CompositeDisposable(ending, subscription))
    }

    override func next(_ element: Element) {
        show(.next(element))
        downstream.next(element)
    }

    override func error(_ error: any Error) {
        show(.error(error))
        downstream.error(error)
    }

    override func completed() {
        show(.completed)
        downstream.completed()
    }

    private func show(_ event: Event<Element>) {
        let text = String(describing: event)
        log("Event \(isTrimmed && text.count > 40 ? "\(text.prefix(20))...\(text.suffix(20))" : text)")
    }
}
