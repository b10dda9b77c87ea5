import FreshetAuth
import FreshetCore

extension StoreRequirement {
    static let ofGates = [
        StoreRequirement("many gates refresh once, and nobody uses a pair that is not stored") { fixture in
            try fixture.save(record(1), in: fixture.makeStore())
            let asked = Locked<[String?]>([])
            let clock = fixture.scheduler
            let gates = try (0..<6).map { _ in
                try fixture.gate(over: fixture.makeStore()) { credential in
                    asked.withLock { $0.append(credential?.refreshToken) }
                    return later(on: clock, Credential(accessToken: "a2", refreshToken: "r2"))
                }
            }
            let uses = try gates.flatMap { gate in
                try (0..<3).map { _ in
                    let store = try fixture.makeStore()
                    return Outcome(
                        of: gate.withCredential { credential -> Single<Bool> in
                            guard credential.generation != 1 else { return .error(Ended()) }
                            return store.load().map { $0.credential == credential }
                        }.asSingle())
                }
            }
            try expect(fixture.wait { uses.allSatisfy { $0.result != nil } }, "a use waits for ever")
            for use in uses { try expect(try use.result?.get() == true, "used before it was stored") }
            try expect(asked.withLock { $0 }, is: ["r1"], "refreshes")
            try expect(try fixture.get(fixture.makeStore().load()), is: record(2), "stored")
        },

        StoreRequirement("a refusal is recorded for all programs, and a login of one ends it for all") { fixture in
            try fixture.save(record(1), in: fixture.makeStore())
            let asked = Locked(0)
            let gates = try (0..<3).map { _ in
                try fixture.gate(over: fixture.makeStore()) { _ in
                    asked.withLock { $0 += 1 }
                    return .error(RefreshRefusal("spent"))
                }
            }
            for gate in gates { _ = try fixture.error(of: gate.credential(replacing: 1)) }
            try expect(asked.withLock { $0 }, is: 1, "refreshes")
            try expect(try fixture.get(fixture.makeStore().load()).isRefused, "it is not marked")
            _ = try fixture.get(gates[0].login(Credential(accessToken: "a2", refreshToken: "r2")))
            for gate in gates { try expect(try fixture.get(gate.credential()).accessToken, is: "a2", "current") }
        },

        StoreRequirement("a logout empties the store for all programs") { fixture in
            try fixture.save(record(1), in: fixture.makeStore())
            let gates = try (0..<2).map { _ in
                try fixture.gate(over: fixture.makeStore()) { _ in .error(RefreshRefusal("spent")) }
            }
            for gate in gates { _ = try fixture.get(gate.credential()) }
            _ = try fixture.get(gates[0].logout())
            try expect(try fixture.get(fixture.makeStore().load()).credential == nil, "it is still there")
            _ = try fixture.error(of: gates[1].credential(replacing: 1))
        },
    ]
}

/// The error of a use whose credential has expired.
struct Ended: Error {}

extension StoreFixture {
    func gate(
        over store: any CredentialStore, refresh: @escaping @Sendable (Credential?) -> Single<Credential>
    ) -> RefreshGate {
        var settings = RefreshGate.Settings()
        settings.isExpired = { $0 is Ended }
        return RefreshGate(store: store, scheduler: scheduler, settings: settings, refresh: refresh)
    }
}

/// Emits the response of a server after 50 ms.
private func later(on clock: any SchedulerType, _ credential: Credential) -> Single<Credential> {
    .create { observer in
        clock.scheduleRelative((), dueTime: .milliseconds(50)) {
            observer(.success(credential))
            return Disposables.create()
        }
    }
}
