import FreshetCore
import FreshetTesting

/// The calls that the documentation's marble diagrams name before the colon. One column is a second.
enum TimedCalls {
    typealias Call = @Sendable (Stage) -> Observable<Shown>

    static let path = "Tests/FreshetCoreTests/Documentation/TimedCalls.swift"

    static let all: [String: Call] = [
        "audit(3)": { $0.source.audit(.seconds(3), scheduler: $0.scheduler).shown },
        "audit(after 3)": { stage in
            stage.source.audit { [scheduler = stage.scheduler] _ in
                Observable<Int>.timer(.seconds(3), scheduler: scheduler)
            }.shown
        },
        "bindingTaskLocal($user, x)": { $0.source.bindingTaskLocal(TaskLocals.$number, to: 1).shown },
        "buffer(boundary: boundary)": { stage in
            stage.source.buffer(boundary: stage["boundary"]).map { "[\($0.joined(separator: ", "))]" }.shown
        },
        "buffer(closingSelector: after 3)": { stage in
            stage.source.buffer { [scheduler = stage.scheduler] in
                Observable<Int>.timer(.seconds(3), scheduler: scheduler)
            }.map { "[\($0.joined(separator: ", "))]" }.shown
        },
        "buffer(timeSpan: 4, count: 2)": { stage in
            stage.source.buffer(timeSpan: .seconds(4), count: 2, scheduler: stage.scheduler)
                .map { "[\($0.joined(separator: ", "))]" }.shown
        },
        "bufferToggle(openings, after 3)": { stage in
            stage.source.bufferToggle(stage["openings"]) { [scheduler = stage.scheduler] _ in
                Observable<Int>.timer(.seconds(3), scheduler: scheduler)
            }.map { "[\($0.joined(separator: ", "))]" }.shown
        },
        "combineLatestDelayError(first, second)": {
            Observable.combineLatestDelayError([$0["first"], $0["second"]]) { $0.joined() }.shown
        },
        "concatDelayError(first, second)": { Observable.concatDelayError($0["first"], $0["second"]).shown },
        "debounce(3)": { $0.source.debounce(.seconds(3), scheduler: $0.scheduler).shown },
        "delay(3)": { $0.source.delay(.seconds(3), scheduler: $0.scheduler).shown },
        "delaySubscription(3)": { $0.source.delaySubscription(.seconds(3), scheduler: $0.scheduler).shown },
        "distinct()": { $0.source.distinct().shown },
        "distinct(limit: 2)": { $0.source.distinct(limit: 2).shown },
        "interval(2)": { Observable<Int>.interval(.seconds(2), scheduler: $0.scheduler).shown },
        "marble(1)": { $0.source.marble(.seconds(1), scheduler: $0.scheduler) { _ in }.shown },
        "mergeDelayError(first, second)": { Observable.mergeDelayError($0["first"], $0["second"]).shown },
        "mergeScan(0)": { stage in
            stage.source.mergeScan(0) { stage.laterSum($0, $1) }.shown
        },
        "mergeScan(0, maxConcurrent: 1)": { stage in
            stage.source.mergeScan(0, maxConcurrent: 1) { stage.laterSum($0, $1) }.shown
        },
        "refCount(gracePeriod: 3, after 4, from 6)": { stage in
            let shared = stage.source.publish().refCount(gracePeriod: .seconds(3), scheduler: stage.scheduler)
            stage.attend(shared, until: 4)
            return shared.delaySubscription(.seconds(6), scheduler: stage.scheduler).shown
        },
        "replay(2, window: 3, from 6)": { stage in
            let replayed = stage.source.replay(2, window: .seconds(3), scheduler: stage.scheduler)
            stage.scheduler.scheduleAt(stage.start) { _ = replayed.connect() }
            return replayed.delaySubscription(.seconds(6), scheduler: stage.scheduler).shown
        },
        "retry(.backoff(1, maxAttempts: 3))": { stage in
            let behavior = RetryBehavior.backoff(.seconds(1), jitter: .none, maxAttempts: 3)
            return stage.source.retry(behavior, scheduler: stage.scheduler).shown
        },
        "sample(3)": { $0.source.sample(.seconds(3), scheduler: $0.scheduler).shown },
        "sample(3, emitLast: true)": {
            $0.source.sample(.seconds(3), emitLast: true, scheduler: $0.scheduler).shown
        },
        "sample(sampler)": { $0.source.sample($0["sampler"]).shown },
        "share(gracePeriod: 3, after 4, from 6)": { stage in
            let shared = stage.source.share(gracePeriod: .seconds(3), scheduler: stage.scheduler)
            stage.attend(shared, until: 4)
            return shared.delaySubscription(.seconds(6), scheduler: stage.scheduler).shown
        },
        "share(replay: 2, window: 3, from 6)": { stage in
            let shared = stage.source.share(replay: 2, window: .seconds(3), scheduler: stage.scheduler)
            stage.attend(shared)
            return shared.delaySubscription(.seconds(6), scheduler: stage.scheduler).shown
        },
        "skip(5)": { $0.source.skip(.seconds(5), scheduler: $0.scheduler).shown },
        "switchScan(0)": { stage in stage.source.switchScan(0) { stage.laterSum($0, $1) }.shown },
        "take(for: 5)": { $0.source.take(for: .seconds(5), scheduler: $0.scheduler).shown },
        "throttle(3)": { $0.source.throttle(.seconds(3), scheduler: $0.scheduler).shown },
        "throttle(3, latest: false)": {
            $0.source.throttle(.seconds(3), latest: false, scheduler: $0.scheduler).shown
        },
        "timeout(4)": { $0.source.timeout(.seconds(4), scheduler: $0.scheduler).shown },
        "timeout(4, other: other)": {
            $0.source.timeout(.seconds(4), other: $0["other"], scheduler: $0.scheduler).shown
        },
        "timeInterval()": { stage in
            stage.source.timeInterval(scheduler: stage.scheduler)
                .map { "\($0.interval.components.seconds) \($0.element)" }.shown
        },
        "timer(3)": { Observable<Int>.timer(.seconds(3), scheduler: $0.scheduler).shown },
        "timer(3, period: 1)": {
            Observable<Int>.timer(.seconds(3), period: .seconds(1), scheduler: $0.scheduler).shown
        },
        "timestamp()": { stage in
            stage.source.timestamp(scheduler: stage.scheduler)
                .map { "\($0.timestamp.sinceStart.components.seconds - 200) \($0.element)" }.shown
        },
        "window(boundary: boundary)": { stage in
            stage.source.window(boundary: stage["boundary"])
                .map { [scheduler = stage.scheduler] in Shown($0, on: scheduler) }
        },
        "window(closingSelector: after 3)": { stage in
            stage.source.window { [scheduler = stage.scheduler] in
                Observable<Int>.timer(.seconds(3), scheduler: scheduler)
            }.map { [scheduler = stage.scheduler] in Shown($0, on: scheduler) }
        },
        "window(timeSpan: 4, count: 2)": { stage in
            stage.source.window(timeSpan: .seconds(4), count: 2, scheduler: stage.scheduler)
                .map { [scheduler = stage.scheduler] in Shown($0, on: scheduler) }
        },
        "windowToggle(openings, after 3)": { stage in
            stage.source.windowToggle(stage["openings"]) { [scheduler = stage.scheduler] _ in
                Observable<Int>.timer(.seconds(3), scheduler: scheduler)
            }.map { [scheduler = stage.scheduler] in Shown($0, on: scheduler) }
        },
    ]
}

extension ObservableType {
    /// The elements with their descriptions as text.
    var shown: Observable<Shown> { map { Shown(String(describing: $0)) } }
}

extension Stage {
    /// The sum, which the stream emits two columns later.
    fileprivate func laterSum(_ state: Int, _ digit: String) -> Observable<Int> {
        Observable.just(state + (Int(digit) ?? 0)).delaySubscription(.seconds(2), scheduler: scheduler)
    }

    /// Subscribes to `stream` from the first column until `end`.
    fileprivate func attend(_ stream: Observable<String>, until end: Int = 100) {
        let subscription = SerialDisposable()
        scheduler.scheduleAt(start) { subscription.disposable = stream.subscribe() }
        scheduler.scheduleAt(start + end) { subscription.dispose() }
    }
}
