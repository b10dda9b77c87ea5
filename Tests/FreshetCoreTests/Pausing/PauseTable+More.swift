import FreshetCore
import FreshetTesting

extension PauseTable {
    static let combining: [String: [PauseCase]] = [
        "amb(_:)": [.reaches(2) { $0[0].amb($0[1]) }, .reaches(3) { Observable.amb([$0[0], $0[1], $0[2]]) }],
        "combineLatest(_:)": [
            .reaches(2) { Observable.combineLatest($0[0], $0[1]) },
            .reaches(3) { Observable.combineLatest([$0[0], $0[1], $0[2]]) },
        ],
        "combineLatest(_:resultSelector:)": [
            .reaches(2) { Observable.combineLatest($0[0], $0[1]) { $0 + $1 } },
            .reaches(3) { Observable.combineLatest($0[0], $0[1], $0[2]) { $0 + $1 + $2 } },
            .reaches(4) { Observable.combineLatest($0[0], $0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 } },
            .reaches(5) { Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4]) { a, _, _, _, _ in a } },
            .reaches(6) {
                Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) { a, _, _, _, _, _ in a }
            },
            .reaches(7) {
                Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) { a, _, _, _, _, _, _ in a }
            },
            .reaches(8) {
                Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) {
                    a, _, _, _, _, _, _, _ in a
                }
            },
            .reaches(3) { Observable<Int>.combineLatest([$0[0], $0[1], $0[2]]) { $0.count } },
        ],
        "combineLatestDelayError(_:)": [.reaches(2) { Observable.combineLatestDelayError([$0[0], $0[1]]) }],
        "combineLatestDelayError(_:resultSelector:)": [
            .reaches(2) { Observable<Int>.combineLatestDelayError([$0[0], $0[1]]) { $0.count } }
        ],
        "concat()": heldInner { $0.concat() },
        "concat(_:)": [
            .reaches(1) { $0[0].concat($0[1]) }, .reaches(1) { Observable.concat([$0[0], $0[1]]) },
            .reaches(1) { Observable.concat($0[0], $0[1]) }, .isShown(by: "testTheNextStreamOfConcatWaitsForTheResume"),
        ],
        "concatDelayError()": heldInner { $0.concatDelayError() },
        "concatDelayError(_:)": [
            .reaches(1) { Observable.concatDelayError($0[0], $0[1]) },
            .reaches(1, prime: { $0.inputs[1].fail() }) { Observable.concatDelayError([$0[1], $0[0]]) },
            .isShown(by: "testConcatDelayErrorStartsNoSourceDuringAPause"),
        ],
        "concatMap(_:)": heldInner { $0.concatMap { $0 } } + [
            .isShown(by: "testConcatMapStartsNoWaitingStreamDuringAPause")
        ],
        "concatMapEager(maxConcurrent:_:)": mapped { $0.concatMapEager(maxConcurrent: 2, $1) }
            + [.isShown(by: "testConcatMapEagerHoldsWaitingElementsDuringAPause")],
        "expand(maxConcurrent:_:)": mapped { $0.expand($1) } + [.isShown(by: "testExpandStartsNoStreamDuringAPause")],
        "flatMap(_:)": mapped { $0.flatMap($1) },
        "flatMapFirst(_:)": mapped { $0.flatMapFirst($1) },
        "flatMapLatest(_:)": mapped { $0.flatMapLatest($1) },
        "merge()": inner { $0.merge() },
        "merge(_:)": [
            .reaches(2) { Observable.merge($0[0], $0[1]) }, .reaches(3) { Observable.merge([$0[0], $0[1], $0[2]]) },
            .reaches(2) { Observable.merge(AnyCollection([$0[0], $0[1]])) },
        ],
        "merge(maxConcurrent:)": inner { $0.merge(maxConcurrent: 2) },
        "mergeDelayError()": inner { $0.mergeDelayError() },
        "mergeDelayError(_:)": [
            .reaches(2) { Observable.mergeDelayError($0[0], $0[1]) },
            .reaches(3) { Observable.mergeDelayError([$0[0], $0[1], $0[2]]) },
        ],
        "startWith(_:)": linear { $0[0].startWith(1) },
        "switchLatest()": inner { $0.switchLatest() },
        "withLatestFrom(_:)": [.reaches(2) { $0[0].withLatestFrom($0[1]) }],
        "withLatestFrom(_:resultSelector:)": [.reaches(2) { $0[0].withLatestFrom($0[1]) { $0 + $1 } }],
        "zip(_:)": [
            .reaches(2) { Observable.zip($0[0], $0[1]) }, .reaches(3) { Observable.zip([$0[0], $0[1], $0[2]]) },
        ],
        "zip(_:resultSelector:)": [
            .reaches(2) { Observable.zip($0[0], $0[1]) { $0 + $1 } },
            .reaches(3) { Observable.zip($0[0], $0[1], $0[2]) { $0 + $1 + $2 } },
            .reaches(4) { Observable.zip($0[0], $0[1], $0[2], $0[3]) { $0 + $1 + $2 + $3 } },
            .reaches(5) { Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4]) { a, _, _, _, _ in a } },
            .reaches(6) { Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) { a, _, _, _, _, _ in a } },
            .reaches(7) {
                Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) { a, _, _, _, _, _, _ in a }
            },
            .reaches(8) {
                Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) { a, _, _, _, _, _, _, _ in a }
            },
            .reaches(3) { Observable<Int>.zip([$0[0], $0[1], $0[2]]) { $0.count } },
        ],
    ]

    /// Cases for an operator that uses input 1 as the inner stream of the first element of input 0.
    private static func mapped<Result: ObservableConvertibleType>(
        _ make: @escaping @Sendable (Observable<Int>, @escaping @Sendable (Int) -> Observable<Int>) -> Result
    ) -> [PauseCase] {
        [.reaches(2, prime: { $0.inputs[0].send(1) }) { stage in make(stage[0]) { _ in stage[1] } }]
    }

    private static func inner<Result: ObservableConvertibleType>(
        _ make: @escaping @Sendable (Observable<Observable<Int>>) -> Result
    ) -> [PauseCase] {
        [.reaches(2, prime: { $0.inputs[0].send(1) }) { stage in make(stage[0].map { _ in stage[1] }) }]
    }

    /// Cases for an operator that pauses the outer stream, which is input 1 here, while the inner stream runs.
    private static func heldInner<Result: ObservableConvertibleType>(
        _ make: @escaping @Sendable (Observable<Observable<Int>>) -> Result
    ) -> [PauseCase] {
        [
            .reaches(1, prime: { $0.inputs[1].send(1) }) { stage in make(stage[1].map { _ in stage[0] }) },
            .isShown(by: "testASourceStaysPausedUntilTheObserverAndTheLimitAllowIt"),
        ]
    }

    static let filtering: [String: [PauseCase]] = [
        "asCompletable()": linear { $0[0].ignoreElements().asCompletable() },
        "asMaybe()": linear { $0[0].asMaybe() },
        "asSingle()": linear { $0[0].asSingle() },
        "distinct(by:limit:)": linear { $0[0].distinct(by: { $0 }, limit: 2) },
        "distinct(limit:)": linear { $0[0].distinct() },
        "distinctUntilChanged()": linear { $0[0].distinctUntilChanged() },
        "distinctUntilChanged(_:)": linear { $0[0].distinctUntilChanged { $0 } }
            + linear { $0[0].distinctUntilChanged { $0 == $1 } },
        "distinctUntilChanged(_:comparer:)": linear { $0[0].distinctUntilChanged({ $0 }, comparer: ==) },
        "distinctUntilChanged(at:)": linear { $0[0].distinctUntilChanged(at: \.description) },
        "element(at:)": linear { $0[0].element(at: 1) },
        "filter(_:)": linear { $0[0].filter { _ in true } },
        "first()": linear { $0[0].first() },
        "ifEmpty(default:)": linear { $0[0].ifEmpty(default: 1) },
        "ifEmpty(switchTo:)": [
            .reaches(1) { $0[0].ifEmpty(switchTo: $0[1]) },
            .reaches(1, prime: { $0.inputs[1].complete() }) { $0[1].ifEmpty(switchTo: $0[0]) },
        ],
        "ignoreElements()": linear { $0[0].ignoreElements() },
        "partition(_:)": linear { stage in
            let (matches, nonMatches) = stage[0].partition { $0 > 0 }
            return Observable.merge(matches, nonMatches)
        },
        "single()": linear { $0[0].single() },
        "single(_:)": linear { $0[0].single { _ in true } },
        "skip(_:)": linear { $0[0].skip(1) },
        "skip(until:)": [.reaches(2) { $0[0].skip(until: $0[1]) }],
        "skip(while:)": linear { $0[0].skip { _ in true } },
        "take(_:)": linear { $0[0].take(1) },
        "take(until:)": [.reaches(2) { $0[0].take(until: $0[1]) }],
        "take(until:behavior:)": linear { $0[0].take(until: { _ in false }) },
        "take(while:behavior:)": linear { $0[0].take(while: { _ in true }) },
        "takeLast(_:)": linear { $0[0].takeLast(1) },
    ]

    static let timing: [String: [PauseCase]] = [
        "audit(_:)": [.reaches(2, prime: { $0.inputs[0].send(1) }) { stage in stage[0].audit { _ in stage[1] } }],
        "audit(_:scheduler:)": timed { $0[0].audit(.seconds(5), scheduler: $0.scheduler) },
        "buffer(timeSpan:count:scheduler:)": timed {
            $0[0].buffer(timeSpan: .seconds(5), count: 3, scheduler: $0.scheduler)
        },
        "debounce(_:scheduler:)": timed { $0[0].debounce(.seconds(5), scheduler: $0.scheduler) },
        "delay(_:scheduler:)": timed { $0[0].delay(.seconds(5), scheduler: $0.scheduler) },
        "delaySubscription(_:scheduler:)": [
            .reaches(1, prime: { $0.scheduler.advanceBy(5) }) {
                $0[0].delaySubscription(.seconds(5), scheduler: $0.scheduler)
            }
        ],
        "interval(_:scheduler:)": [.halts { Observable<Int>.interval(.seconds(5), scheduler: $0.scheduler) }],
        "sample(_:defaultValue:)": [.reaches(2) { $0[0].sample($0[1]) }],
        "sample(_:emitLast:scheduler:)": timed { $0[0].sample(.seconds(5), scheduler: $0.scheduler) },
        "skip(_:scheduler:)": timed { $0[0].skip(.seconds(5), scheduler: $0.scheduler) },
        "take(for:scheduler:)": linear { $0[0].take(for: .seconds(500), scheduler: $0.scheduler) },
        "throttle(_:latest:scheduler:)": timed { $0[0].throttle(.seconds(5), scheduler: $0.scheduler) },
        "timeInterval(scheduler:)": linear { $0[0].timeInterval(scheduler: $0.scheduler) },
        "timeout(_:other:scheduler:)": timed {
            $0[0].timeout(.seconds(5), other: $0[1], scheduler: $0.scheduler)
        } + [
            .reaches(1, prime: { $0.scheduler.advanceBy(5) }) {
                $0[1].timeout(.seconds(5), other: $0[0], scheduler: $0.scheduler)
            }
        ],
        "timeout(_:scheduler:)": timed { $0[0].timeout(.seconds(5), scheduler: $0.scheduler) }
            + [.isShown(by: "testAPausedSourceDoesNotTimeOut")],
        "timer(_:period:scheduler:)": [
            .halts { Observable<Int>.timer(.seconds(5), scheduler: $0.scheduler) },
            .halts { Observable<Int>.timer(.seconds(5), period: .seconds(1), scheduler: $0.scheduler) },
        ],
        "timestamp(scheduler:)": linear { $0[0].timestamp(scheduler: $0.scheduler) },
        "window(timeSpan:count:scheduler:)": timed {
            $0[0].window(timeSpan: .seconds(5), count: 3, scheduler: $0.scheduler)
        } + [.isShown(by: "testPausedWindowsPauseTheSourceAndTheTime")],
    ]

    /// Cases in which two elements are on their way when the pause comes.
    private static func timed(_ stream: @escaping PauseCase.Stream) -> [PauseCase] {
        [.reaches(1, prime: { $0.inputs[0].send(1, 2) }, stream)]
    }

    static let utility: [String: [PauseCase]] = [
        "bindingTaskLocal(_:)": linear { $0[0].bindingTaskLocal(TaskLocals.$number) },
        "bindingTaskLocal(_:to:)": linear { $0[0].bindingTaskLocal(TaskLocals.$number, to: 1) },
        "checkpoint(_:file:line:)": [.isShown(by: "testAPauseAndADisposalPassTracedOperators")],
        "debug(_:trimOutput:file:line:function:)": [.isShown(by: "testDebugPassesThePauseToItsSource")],
        "dematerialize()": linear { $0[0].materialize().dematerialize() },
        "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)":
            linear { $0[0].do(onNext: { _ in }) } + linear { $0[0].do(onDispose: {}) },
        "marble(_:scheduler:report:)": linear { $0[0].marble(.seconds(1), scheduler: $0.scheduler) { _ in } },
        "materialize()": linear { $0[0].materialize() },
        "observe(on:)": [.reaches(1, prime: { $0.inputs[0].send(1, 2) }) { $0[0].observe(on: $0.scheduler) }],
        "observe(on:buffering:)": [.isShown(by: "testABoundedObserveOnPausesItsSourceWhenItsBufferIsFull")],
        "onOverflow(_:)": [.isShown(by: "testTheSourceOfABufferIsPausedAtItsCapacity")],
        "subscribe(on:)": [.reaches(1, prime: { $0.scheduler.advanceBy(1) }) { $0[0].subscribe(on: $0.scheduler) }],
        "subscribe(with:onNext:onError:onCompleted:onDisposed:)": linear { stage in
            Observable<Int>.create { observer in stage[0].subscribe(with: stage, onNext: { observer.onNext($1) }) }
        },
        "withUnretained(_:)": linear { $0[0].withUnretained($0) },
        "withUnretained(_:resultSelector:)": linear { $0[0].withUnretained($0) { $1 } },
    ]
}
