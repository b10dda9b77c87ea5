import FreshetCore

extension Shape {
    static let recovering: [Shape] = [
        Shape("catch(_:)", .combining) { fixture in fixture.a.catch { _ in fixture.b.asObservable() } },
        Shape("catch(_:)", .combining) { fixture in fixture.failing.catch { _ in throw Fault.second } },
        Shape("catchAndReturn(_:)") { $0.failing.catchAndReturn(7) },
        Shape("catch(sequence:)", .combining) { .catch(sequence: [$0.failing, $0.b.asObservable()]) },
        Shape("retry()") { fixture in fixture.failing.startWith(0).retry().take(9) },
        Shape("retry(_:)") { $0.failing.retry(2) },
        Shape("retry(when:)", .combining) { fixture in
            fixture.failing.retry(when: { (errors: Observable<any Error>) in errors.flatMap { _ in fixture.c.take(1) } }
            )
        },
        Shape("retry(when:)", .combining) { fixture in
            fixture.failing.retry(when: { (errors: Observable<Fault>) in errors.take(1) })
        },
        Shape("mapError(_:)") { $0.failing.mapError { _ in Fault.second } },
        Shape("retry(_:scheduler:budget:shouldRetry:)", .combining) {
            $0.failing.retry(.delayed(.seconds(1), maxAttempts: 2), scheduler: $0.scheduler)
        },
        Shape("retry(_:scheduler:budget:shouldRetry:)") {
            $0.failing.retry(
                .immediate(maxAttempts: 2), scheduler: $0.scheduler, shouldRetry: { _ in throw Fault.second })
        },
    ]
}

extension Fixture {
    /// The stream `a`, which fails at its second element.
    fileprivate var failing: Observable<Int> { a.map { if $0 == 2 { throw Fault.first } else { $0 } } }
}
