import FreshetCore

extension Shape {
    static let timing: [Shape] = [
        Shape("audit(_:)", .combining) { fixture in fixture.a.audit { _ in fixture.b } },
        Shape("audit(_:scheduler:)") { $0.a.audit(.seconds(2), scheduler: $0.scheduler) },
        Shape("buffer(timeSpan:count:scheduler:)") {
            $0.a.buffer(timeSpan: .seconds(2), count: 2, scheduler: $0.scheduler).counted()
        },
        Shape("debounce(_:scheduler:)") { $0.a.debounce(.seconds(1), scheduler: $0.scheduler) },
        Shape("delay(_:scheduler:)") { $0.a.delay(.seconds(2), scheduler: $0.scheduler) },
        Shape("delaySubscription(_:scheduler:)") { $0.a.delaySubscription(.seconds(1), scheduler: $0.scheduler) },
        Shape("sample(_:defaultValue:)", .combining) { $0.a.sample($0.b) },
        Shape("sample(_:defaultValue:)", .combining) { $0.a.sample($0.c, defaultValue: 0) },
        Shape("sample(_:emitLast:scheduler:)") {
            $0.a.sample(.seconds(2), emitLast: true, scheduler: $0.scheduler)
        },
        Shape("skip(_:scheduler:)") { $0.a.skip(.seconds(2), scheduler: $0.scheduler) },
        Shape("take(for:scheduler:)") { $0.a.take(for: .seconds(3), scheduler: $0.scheduler) },
        Shape("throttle(_:latest:scheduler:)") { $0.a.throttle(.seconds(1), scheduler: $0.scheduler) },
        Shape("throttle(_:latest:scheduler:)") { $0.a.throttle(.seconds(2), latest: false, scheduler: $0.scheduler) },
        Shape("timeout(_:scheduler:)") { $0.a.timeout(.seconds(2), scheduler: $0.scheduler) },
        Shape("timeout(_:other:scheduler:)", .combining) {
            $0.c.timeout(.seconds(2), other: $0.b, scheduler: $0.scheduler)
        },
        Shape("interval(_:scheduler:)", .source) { .interval(.seconds(2), scheduler: $0.scheduler) },
        Shape("timer(_:period:scheduler:)", .source) { .timer(.seconds(2), scheduler: $0.scheduler) },
        Shape("timer(_:period:scheduler:)", .source) {
            .timer(.seconds(2), period: .seconds(1), scheduler: $0.scheduler)
        },
        Shape("window(timeSpan:count:scheduler:)", .combining) {
            $0.a.window(timeSpan: .seconds(2), count: 2, scheduler: $0.scheduler).flatMap { $0.startWith(0) }
        },
        Shape("timestamp(scheduler:)") {
            $0.a.timestamp(scheduler: $0.scheduler).map { Int($0.timestamp.sinceStart / .seconds(1)) }
        },
        Shape("timeInterval(scheduler:)") {
            $0.a.timeInterval(scheduler: $0.scheduler).map { Int($0.interval / .seconds(1)) }
        },
    ]
}
