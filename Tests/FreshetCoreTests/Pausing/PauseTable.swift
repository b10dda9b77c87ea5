import FreshetCore

/// The effect of a pause on each operator, by its name in ``OperatorInventory``. A name that overloads share has several cases.
enum PauseTable {
    static let path = "Tests/FreshetCoreTests/Pausing/PauseTable*.swift"

    static let all: [String: [PauseCase]] = [
        bridging, combining, creating, filtering, recovering, sharing, timing, transforming, utility,
    ].reduce(into: [:]) { all, part in all.merge(part) { $0 + $1 } }

    /// Cases for an operator whose only source is input 0.
    static func linear(_ stream: @escaping PauseCase.Stream) -> [PauseCase] { [.reaches(1, stream)] }

    private static let bridging: [String: [PauseCase]] = [
        "asObservable(priority:)": [.isShown(by: "testAPausedAsyncSequenceIsNotRead")],
        "create(detached:priority:work:)": [.isNothing("emits one element")],
        "value": [.isNothing("takes one element")],
        "values": [.isShown(by: "testTheSourceOfValuesIsPausedWhileTheBufferIsFull")],
        "values(buffering:)": [.isShown(by: "testTheSourceOfValuesIsPausedWhileTheBufferIsFull")],
    ]

    private static let creating: [String: [PauseCase]] = [
        "create(_:)": linear { $0[0] },
        "create(_:start:)": linear { stage in
            Observable<Int>.create(
                { observer in
                    let source = SerialDisposable()
                    source.disposable = stage[0].subscribe(observer)
                    return source
                }, start: { _ in })
        },
        "deferred(_:)": linear { stage in Observable<Int>.deferred { stage[0] } },
        "empty()": [.isNothing("emits only the completion")],
        "error(_:)": [.isNothing("emits only the error")],
        "from(_:scheduler:)": [
            .halts { _ in Observable.from([1, 2, 3]) }, .halts { _ in Observable.from(1...3) },
            .halts { Observable.from([1, 2, 3], scheduler: $0.scheduler) },
        ],
        "from(optional:)": [.isNothing("emits one element at most")],
        "from(optional:scheduler:)": [.halts { Observable.from(optional: 1, scheduler: $0.scheduler) }],
        "generate(initialState:condition:scheduler:iterate:)": [
            .halts { _ in Observable.generate(initialState: 1, condition: { $0 < 5 }, iterate: { $0 + 1 }) }
        ],
        "just(_:)": [.isNothing("emits one element")],
        "just(_:scheduler:)": [.halts { Observable.just(1, scheduler: $0.scheduler) }],
        "never()": [.isNothing("emits nothing")],
        "of(_:scheduler:)": [.halts { _ in Observable.of(1, 2, 3) }],
        "range(start:count:scheduler:)": [.halts { _ in Observable.range(start: 1, count: 3) }],
        "repeatElement(_:scheduler:)": [.halts { _ in Observable.repeatElement(1).take(5) }],
        "using(_:observableFactory:)": linear { stage in
            Observable<Int>.using({ BooleanDisposable() }, observableFactory: { _ in stage[0] })
        },
    ]

    private static let recovering: [String: [PauseCase]] = [
        "catch(_:)": [
            .reaches(1) { stage in stage[0].catch { _ in stage[1] } },
            .isShown(by: "testCatchStartsNoOtherSourceDuringAPause"),
        ],
        "catch(sequence:)": linear { Observable.catch(sequence: [$0[0], $0[1]]) },
        "catchAndReturn(_:)": linear { $0[0].catchAndReturn(1) },
        "mapError(_:)": linear { $0[0].mapError { $0 } },
        "retry()": linear { $0[0].retry() } + [.isShown(by: "testARetryWaitsForTheResume")],
        "retry(_:)": linear { $0[0].retry(2) },
        "retry(_:scheduler:budget:shouldRetry:)": linear {
            $0[0].retry(.immediate(maxAttempts: 2), scheduler: $0.scheduler)
        },
        "retry(when:)": [
            .reaches(2) { stage in stage[0].retry { (_: Observable<any Error>) in stage[1] } },
            .reaches(2) { stage in stage[0].retry { (_: Observable<TestError>) in stage[1] } },
            .isShown(by: "testATriggeredRetryWaitsForTheResume"),
        ],
    ]

    private static let sharing: [String: [PauseCase]] = [
        "connect()": [.isNothing("what it returns is no subscription of an observer")],
        "multicast(_:)": connected { $0.multicast(PublishSubject<Int>()) },
        "multicast(_:selector:)": linear { $0[0].multicast({ PublishSubject<Int>() }, selector: { $0.map { $0 } }) },
        "multicast(makeSubject:)": connected { $0.multicast { PublishSubject<Int>() } },
        "publish()": connected { $0.publish() },
        "refCount()": linear { $0[0].publish().refCount() },
        "refCount(gracePeriod:scheduler:)": linear {
            $0[0].publish().refCount(gracePeriod: .seconds(5), scheduler: $0.scheduler)
        },
        "replay(_:)": connected { $0.replay(2) },
        "replay(_:window:scheduler:)": linear { stage in
            let shared = stage[0].replay(2, window: .seconds(5), scheduler: stage.scheduler)
            stage.keep(shared.connect())
            return shared
        },
        "replayAll()": connected { $0.replayAll() },
        "share(replay:window:scope:gracePeriod:scheduler:)": linear {
            $0[0].share(replay: 1, window: .seconds(5), gracePeriod: .seconds(5), scheduler: $0.scheduler)
        },
        "share(replay:scope:)": linear { $0[0].share() } + linear { $0[0].share(replay: 1) }
            + linear { $0[0].share(scope: .forever) } + linear { $0[0].share(replay: 1, scope: .forever) }
            + [.isShown(by: "testASharedSourceIsPausedWhenAllItsObserversPause")],
    ]

    private static func connected(
        _ make: @escaping @Sendable (Observable<Int>) -> ConnectableObservable<Int>
    ) -> [PauseCase] {
        linear { stage in
            let shared = make(stage[0])
            stage.keep(shared.connect())
            return shared
        }
    }

    private static let transforming: [String: [PauseCase]] = [
        "buffer(boundary:)": [.reaches(2) { $0[0].buffer(boundary: $0[1]) }],
        "buffer(closingSelector:)": [
            .reaches(2) { stage in stage[0].buffer { stage[1] } },
            .isShown(by: "testBufferCallsNoClosingSelectorDuringAPause"),
        ],
        "bufferToggle(_:closingSelector:)": [
            .reaches(3, prime: { $0.inputs[1].send(1) }) { stage in stage[0].bufferToggle(stage[1]) { _ in stage[2] } }
        ],
        "compactMap(_:)": linear { $0[0].compactMap { $0 } },
        "enumerated()": linear { $0[0].enumerated() },
        "fused": linear { $0[0].fused.map { $0 }.filter { _ in true } },
        "groupBy(keySelector:)": linear { $0[0].groupBy { $0 } } + [
            .reaches(1, prime: { $0.inputs[0].send(1, 2) }) { $0[0].groupBy { $0 }.flatMap { $0 } },
            .isShown(by: "testGroupByPausesTheSourceWhenAllObserversPause"),
        ],
        "map(_:)": linear { $0[0].map { $0 } },
        "mergeScan(_:maxConcurrent:accumulator:)": [
            .reaches(2, prime: { $0.inputs[0].send(1) }) { stage in stage[0].mergeScan(0) { _, _ in stage[1] } },
            .isShown(by: "testMergeScanStartsNoStreamDuringAPause"),
        ],
        "pairwise()": linear { $0[0].pairwise() },
        "parallelMap(on:ordered:maxConcurrent:_:)": [
            .reaches(1, prime: { $0.inputs[0].send(1) }) { $0[0].parallelMap(on: [$0.scheduler]) { $0 } },
            .reaches(1, prime: { $0.inputs[0].send(1) }) {
                $0[0].parallelMap(on: [$0.scheduler], ordered: false) { $0 }
            },
            .isShown(by: "testParallelMapStartsNoWorkDuringAPause"),
        ],
        "reduce(_:accumulator:)": linear { $0[0].reduce(0) { $0 + $1 } },
        "reduce(_:accumulator:mapResult:)": linear { $0[0].reduce(0, accumulator: { $0 + $1 }, mapResult: { $0 }) },
        "scan(_:accumulator:)": linear { $0[0].scan(0) { $0 + $1 } },
        "scan(into:accumulator:)": linear { $0[0].scan(into: 0) { $0 += $1 } },
        "switchScan(_:accumulator:)": [
            .reaches(2, prime: { $0.inputs[0].send(1) }) { stage in stage[0].switchScan(0) { _, _ in stage[1] } }
        ],
        "toArray()": linear { $0[0].toArray() },
        "window(boundary:)": [.reaches(2) { $0[0].window(boundary: $0[1]).flatMap { $0 } }],
        "window(closingSelector:)": [.reaches(2) { stage in stage[0].window { stage[1] }.flatMap { $0 } }],
        "windowToggle(_:closingSelector:)": [
            .reaches(3, prime: { $0.inputs[1].send(1) }) { stage in
                stage[0].windowToggle(stage[1]) { _ in stage[2] }.flatMap { $0 }
            }
        ],
    ]
}
