import FreshetAuth
import FreshetCore
import FreshetHTTP

extension StoreRequirement {
    static let ofLosses = [
        StoreRequirement("a holder that has lost the lock overwrites nothing") { fixture in
            let (store, other) = (try fixture.makeStore(), try fixture.makeStore())
            try fixture.save(record(1), in: store)
            let lease = try fixture.get(store.lock())
            _ = try fixture.get(lease.load())
            guard try fixture.loseLock() else { return lease.unlock() }
            try expect(try fixture.error(of: lease.save(record(2))) is StoreError, "no StoreError")
            try expect(try fixture.get(store.load()), is: record(1), "stored")

            let next = try fixture.get(other.lock())
            try expect(try fixture.error(of: lease.save(record(2))) is StoreError, "no StoreError")
            try fixture.get(next.save(record(3)))
            try expect(try fixture.error(of: lease.save(record(4))) is StoreError, "no StoreError")
            lease.unlock()
            let third = Outcome(of: store.lock())
            fixture.waitAWhile()
            try expect(third.result == nil, "the loser released the lock of another holder")
            next.unlock()
            try expect(fixture.wait { third.result != nil }, "the lock is stuck")
            try expect(try fixture.get(store.load()), is: record(3), "stored")
            third.value?.unlock()
        },

        StoreRequirement("a gate that loses the lock in a refresh reports it, and uses the other gate's record") {
            fixture in
            let (store, other) = (try fixture.makeStore(), try fixture.makeStore())
            try fixture.save(record(1), in: store)
            let response = PublishSubject<Credential>()
            let asked = Locked(0)
            let gate = fixture.gate(over: store) { _ in
                asked.withLock { $0 += 1 }
                return response.take(1).asSingle()
            }
            let refreshing = Outcome(of: gate.credential(replacing: 1))
            try expect(fixture.wait { asked.withLock { $0 } == 1 }, "nobody asked for a refresh")
            let isLost = try fixture.loseLock()
            if isLost { try fixture.save(record(7), in: other) }
            response.onNext(Credential(accessToken: "late"))
            try expect(fixture.wait { refreshing.result != nil }, "the gate hangs")
            guard isLost else { return }
            try expectStoreError(in: refreshing.result)
            try expect(try fixture.get(other.load()), is: record(7), "stored")
            try expect(try fixture.get(gate.credential()).accessToken, is: "a7", "current")
            try expect(asked.withLock { $0 }, is: 1, "refreshes")
        },

        StoreRequirement("a record that can't be decoded is an error, and stays until a login replaces it") { fixture in
            let store = try fixture.makeStore()
            guard try fixture.spoil() else { return }
            try expect(try fixture.error(of: store.load()) is StoreError, "no StoreError")
            let gate = fixture.gate(over: store) { _ in .just(Credential(accessToken: "never")) }
            try expectStoreError(in: .failure(try fixture.error(of: gate.credential())))
            try expectStoreError(in: .failure(try fixture.error(of: gate.logout())))
            try expect(try fixture.error(of: fixture.makeStore().load()) is StoreError, "it was replaced")
            _ = try fixture.get(gate.login(Credential(accessToken: "a1", refreshToken: "r1")))
            try expect(try fixture.get(fixture.makeStore().load()).credential?.accessToken, is: "a1", "stored")
            try expect(try fixture.get(gate.credential()).accessToken, is: "a1", "current")
        },
    ]

    private static func expectStoreError(in result: Result<Credential, any Error>?) throws {
        guard case .failure(let error)? = result, (error as? HTTPClientError)?.code == .store else {
            throw UnmetRequirement("no error of the store")
        }
    }
}
