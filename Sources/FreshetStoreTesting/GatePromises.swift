import FreshetAuth
import FreshetCore

extension StorePromise {
    static let ofGates = [
        StorePromise("many gates refresh once, and nobody uses a pair that is not stored") { place in
            try place.save(record(1), in: place.makeStore())
            let asked = Locked<[String?]>([])
            let clock = place.scheduler
            let gates = try (0..<6).map { _ in
                try place.gate(over: place.makeStore()) { credential in
                    asked.withLock { $0.append(credential?.refreshToken) }
                    return later(on: clock, Credential(accessToken: "a2", refreshToken: "r2"))
                }
            }
            let uses = try gates.flatMap { gate in
                try (0..<3).map { _ in
                    let store = try place.makeStore()
                    return Outcome(
                        of: gate.withCredential { credential -> Single<Bool> in
                            guard credential.generation != 1 else { return .error(Ended()) }
                            return store.load().map { $0.credential == credential }
                        }.asSingle())
                }
            }
            try expect(place.waitUntil { uses.allSatisfy { $0.result != nil } }, "a use waits for ever")
            for use in uses { try expect(try use.result?.get() == true, "used before it was stored") }
            try expect(asked.withLock { $0 }, is: ["r1"], "refreshes")
            try expect(try place.get(place.makeStore().load()), is: record(2), "stored")
        },

        StorePromise("a refusal is recorded for all programs, and a login of one ends it for all") { place in
            try place.save(record(1), in: place.makeStore())
            let asked = Locked(0)
            let gates = try (0..<3).map { _ in
                try place.gate(over: place.makeStore()) { _ in
                    asked.withLock { $0 += 1 }
                    return .error(RefreshRefusal("spent"))
                }
            }
            for gate in gates { _ = try place.error(of: gate.credential(replacing: 1)) }
            try expect(asked.withLock { $0 }, is: 1, "refreshes")
            try expect(try place.get(place.makeStore().load()).isRefused, "it is not marked")
            _ = try place.get(gates[0].login(Credential(accessToken: "a2", refreshToken: "r2")))
            for gate in gates { try expect(try place.get(gate.credential()).accessToken, is: "a2", "current") }
        },

        StorePromise("a logout empties the store for all programs") { place in
            try place.save(record(1), in: place.makeStore())
            let gates = try (0..<2).map { _ in
                try place.gate(over: place.makeStore()) { _ in .error(RefreshRefusal("spent")) }
            }
            for gate in gates { _ = try place.get(gate.credential()) }
            _ = try place.get(gates[0].logout())
            try expect(try place.get(place.makeStore().load()).credential == nil, "it is still there")
            _ = try place.error(of: gates[1].credential(replacing: 1))
        },
    ]
}

/// The error of a use whose credential has expired.
struct Ended: Error {}

extension StorePlace {
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
