extension ObservableType where Element: FixedWidthInteger & Sendable {
    /// Counts from zero, one each `period`, for ever. Source: RxSwift's `interval`.
    ///
    ///     interval(2): --0-1-2-3-
    @preconcurrency
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timer(period, period: period, scheduler: scheduler)
    }

    /// Zero after `dueTime` and the end; or, with a period, counts on for ever. Source: RxSwift's `timer`.
    ///
    ///     timer(3):            ---(0|)
    ///     timer(3, period: 1): ---01234
    @preconcurrency
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Producer { downstream in
            let source = TimerSource(to: downstream)
            downstream.begin(with: source)
            if source.isDisposed { return }
            if let period {
                source.work.setDisposable(
                    scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { count in
                        source.send(count)
                        return count &+ 1
                    })
            } else {
                source.work.setDisposable(
                    scheduler.scheduleRelative((), dueTime: dueTime) { _ in
                        source.send(0)
                        source.finish()
                        return Disposables.create()
                    })
            }
        }
    }
}

private final class TimerSource<Element>: Cancelable, @unchecked Sendable {
    let work = SingleAssignmentDisposable()
    private let downstream: Sink<Element>

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { work.isDisposed }
    func send(_ element: Element) { if !isDisposed { downstream.next(element) } }
    func finish() { if !isDisposed { downstream.completed() } }
    func dispose() { work.dispose() }
}
