import FreshetCore

extension Shape {
    static let creating: [Shape] = [
        Shape("create(_:)", .source) { fixture in
            .create { observer in
                observer.onNext(0)
                return fixture.a.subscribe(observer)
            }
        },
        Shape("create(_:start:)", .source) { fixture in
            .create(
                { observer in
                    observer.onNext(0)
                    let source = SerialDisposable()
                    source.disposable = fixture.a.subscribe(observer)
                    return source
                }, start: { _ in })
        },
        Shape("deferred(_:)") { fixture in .deferred { fixture.a.asObservable() } },
        Shape("from(_:scheduler:)", .source) { .from([1, 2, 3], scheduler: $0.scheduler) },
        Shape("from(_:scheduler:)", .source) { _ in .from(AnySequence([1, 2, 3])) },
        Shape("from(optional:)", .source) { _ in .from(optional: 1) },
        Shape("from(optional:scheduler:)", .source) { .from(optional: 1, scheduler: $0.scheduler) },
        Shape("of(_:scheduler:)", .source) { _ in .of(1, 2, 3) },
        Shape("just(_:)", .source) { _ in .just(1) },
        Shape("just(_:scheduler:)", .source) { .just(1, scheduler: $0.scheduler) },
        Shape("empty()", .source, isSilent: true) { _ in .empty() },
        Shape("error(_:)", .source, isSilent: true) { _ in .error(Fault.first) },
        Shape("never()", .source, isSilent: true) { _ in .never() },
        Shape("generate(initialState:condition:scheduler:iterate:)", .source) {
            .generate(initialState: 0, condition: { $0 < 4 }, scheduler: $0.scheduler, iterate: { $0 + 1 })
        },
        Shape("range(start:count:scheduler:)", .source) { _ in .range(start: 0, count: 4) },
        Shape("repeatElement(_:scheduler:)", .source) { .repeatElement(1, scheduler: $0.scheduler).take(12) },
        Shape("using(_:observableFactory:)") { fixture in
            .using({ BooleanDisposable() }, observableFactory: { _ in fixture.a.asObservable() })
        },
    ]
}
