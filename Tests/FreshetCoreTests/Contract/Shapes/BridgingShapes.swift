import FreshetCore

extension Shape {
    /// Operators that go through a task and back.
    static let bridging: [Shape] = [
        Shape("asObservable(priority:)", isAsynchronous: true) { $0.a.values.asObservable() },
        Shape("values", isAsynchronous: true) { $0.a.values.asObservable() },
        Shape("values(buffering:)", isAsynchronous: true) { $0.a.values(buffering: 1...2).asObservable() },
        Shape("value", isAsynchronous: true) { fixture in
            AsyncStream { try? await fixture.a.take(1).asSingle().value }.asObservable().take(1)
        },
        Shape("value", isAsynchronous: true) { fixture in
            AsyncStream { try? await fixture.a.take(1).asMaybe().value }.asObservable().take(1)
        },
        Shape("value", isAsynchronous: true) { fixture in
            AsyncStream {
                try? await fixture.a.take(1).ignoreElements().asCompletable().value
                return 1
            }.asObservable().take(1)
        },
        Shape("create(detached:priority:work:)", isAsynchronous: true) { fixture in
            Single.create { try await fixture.a.take(1).asSingle().value }.asObservable()
        },
    ]
}
