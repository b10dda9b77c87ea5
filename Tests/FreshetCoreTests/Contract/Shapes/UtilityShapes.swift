import FreshetCore

extension Shape {
    static let utility: [Shape] = [
        Shape(
            "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)"
        ) {
            $0.a.do(
                onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in }, onCompleted: {},
                afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
        },
        Shape(
            "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)"
        ) {
            $0.a.do(afterNext: { if $0 == 3 { throw Fault.second } })
        },
        Shape("bindingTaskLocal(_:)") { $0.a.bindingTaskLocal(TaskLocals.$number) },
        Shape("bindingTaskLocal(_:to:)") { $0.a.bindingTaskLocal(TaskLocals.$number, to: 1) },
        Shape("checkpoint(_:file:line:)") { $0.a.checkpoint() },
        Shape("marble(_:scheduler:report:)") { $0.a.marble(.seconds(1), scheduler: $0.scheduler, report: { _ in }) },
        Shape("dematerialize()") { $0.a.materialize().dematerialize() },
        Shape("materialize()") { $0.a.materialize().counted() },
        Shape("observe(on:)") { $0.a.observe(on: $0.scheduler) },
        Shape("observe(on:)") { $0.a.observe(on: CurrentThreadScheduler.instance) },
        Shape("observe(on:buffering:)") { $0.a.observe(on: $0.scheduler, buffering: 1...2) },
        Shape("onOverflow(_:)") { $0.a.onOverflow(.buffer(2)) },
        Shape("onOverflow(_:)") { $0.a.onOverflow(.latest) },
        Shape("onOverflow(_:)") { $0.a.onOverflow(.error(0)) },
        Shape("subscribe(on:)") { $0.a.subscribe(on: $0.scheduler) },
        Shape("subscribe(with:onNext:onError:onCompleted:onDisposed:)") { fixture in
            .create { observer in
                fixture.a.subscribe(
                    with: fixture, onNext: { observer.onNext($1) }, onError: { observer.onError($1) },
                    onCompleted: { _ in observer.onCompleted() }, onDisposed: { _ in })
            }
        },
        Shape("withUnretained(_:)") { $0.a.withUnretained($0).counted() },
        Shape("withUnretained(_:resultSelector:)") { $0.a.withUnretained($0) { $1 } },
    ]
}
