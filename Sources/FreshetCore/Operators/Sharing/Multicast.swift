extension ObservableType {
    /// Serves all observers from one subscription to the source, through `subject`. Source: RxSwift's `multicast(_:)`.
    public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservable(Connections(asObservable(), subject))
    }

    /// Serves all observers from one subscription to the source, through a new subject for each connection.
    /// Source: RxSwift's `multicast(makeSubject:)`.
    @preconcurrency
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        ConnectableObservable(Connections(asObservable(), makeSubject: makeSubject))
    }

    /// Emits the events of the stream that `selector` returns. `selector` receives a shared stream, which it can use
    /// any number of times with one subscription to the source. An error that either closure throws ends the stream.
    /// Source: RxSwift's `multicast(_:selector:)`.
    @preconcurrency
    public func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        let source = asObservable()
        return Producer(isHot: source.isHot) { downstream in
            do {
                // A part of the result may follow another one that has ended during a pause.
                let connections = Connections(source, try subjectSelector(), waitsForMembers: true)
                let shared = ConnectableObservable(connections)
                let result = try selector(shared)
                let sink = CompositeSink(to: downstream)
                downstream.begin(with: sink.subscriptions)
                result.subscribe(sink)
                if !sink.subscriptions.isDisposed { sink.subscriptions.insert(shared.connect()) }
            } catch {
                downstream.begin(with: NopDisposable.shared)
                downstream.error(error)
            }
        }
    }

    /// Multicasts through a ``PublishSubject``. Source: RxSwift's `publish`.
    @inlinable
    public func publish() -> ConnectableObservable<Element> {
        multicast(makeSubject: { PublishSubject() })
    }

    /// Multicasts through a ``ReplaySubject`` that replays the last `bufferSize` elements.
    /// Source: RxSwift's `replay(_:)`.
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast(makeSubject: { ReplaySubject.create(bufferSize: bufferSize) })
    }

    /// Multicasts through a ``ReplaySubject`` that replays all elements. Source: RxSwift's `replayAll`.
    public func replayAll() -> ConnectableObservable<Element> {
        multicast(makeSubject: { ReplaySubject.createUnbounded() })
    }
}

extension ObservableType where Element: Sendable {
    /// Multicasts through a ``ReplaySubject`` that replays those of the last `bufferSize` elements that are younger
    /// than `window`. Source: RxJava's `replay(bufferSize:time:)`.
    ///
    ///     source:                       -a-b-c---d--|
    ///     replay(2, window: 3, from 6): ------c--d--|
    ///
    /// In the diagram, the stream is connected from the start, and its observer subscribes at 6.
    @preconcurrency
    public func replay(
        _ bufferSize: Int = .max, window: RxTimeInterval, scheduler: any SchedulerType
    ) -> ConnectableObservable<Element> {
        multicast(makeSubject: { ReplaySubject.create(bufferSize: bufferSize, window: window, scheduler: scheduler) })
    }
}
