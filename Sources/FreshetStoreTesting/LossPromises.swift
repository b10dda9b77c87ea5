import FreshetAuth
import FreshetCore
import FreshetHTTP

extension StorePromise {
    static let ofLosses = [
        StorePromise("a holder that has lost the lock overwrites nothing") { place in
            let (store, other) = (try place.makeStore(), try place.makeStore())
            try place.save(record(1), in: store)
            let lease = try place.get(store.lock())
            _ = try place.get(lease.load())
            guard try place.loseLock() else { return lease.unlock() }
            try expect(try place.error(of: lease.save(record(2))) is StoreError, "no StoreError")
            try expect(try place.get(store.load()), is: record(1), "stored")

            let next = try place.get(other.lock())
            try expect(try place.error(of: lease.save(record(2))) is StoreError, "no StoreError")
            try place.get(next.save(record(3)))
            try expect(try place.error(of: lease.save(record(4))) is StoreError, "no StoreError")
            lease.unlock()
            let third = Outcome(of: store.lock())
            place.waitAWhile()
            try expect(third.result == nil, "the loser released the lock of another holder")
            next.unlock()
            try expect(place.waitUntil { third.result != nil }, "the lock is stuck")
            try expect(try place.get(store.load()), is: record(3), "stored")
            third.value?.unlock()
        },

        StorePromise("a gate that loses the lock in a refresh reports it, and uses the other gate's record") { place in
            let (store, other) = (try place.makeStore(), try place.makeStore())
            try place.save(record(1), in: store)
            let response = PublishSubject<Credential>()
            let asked = Locked(0)
            let gate = place.gate(over: store) { _ in
                asked.withLock { $0 += 1 }
                return response.take(1).asSingle()
            }
            let refreshing = Outcome(of: gate.credential(replacing: 1))
            try expect(place.waitUntil { asked.withLock { $0 } == 1 }, "nobody asked for a refresh")
            let isLost = try place.loseLock()
            if isLost { try place.save(record(7), in: other) }
            response.onNext(Credential(accessToken: "late"))
            try expect(place.waitUntil { refreshing.result != nil }, "the gate hangs")
            guard isLost else { return }
            try expectStoreError(in: refreshing.result)
            try expect(try place.get(other.load()), is: record(7), "stored")
            try expect(try place.get(gate.credential()).accessToken, is: "a7", "current")
            try expect(asked.withLock { $0 }, is: 1, "refreshes")
        },

        StorePromise("a record that can't be decoded is an error, and stays until a login replaces it") { place in
            let store = try place.makeStore()
            guard try place.spoil() else { return }
            try expect(try place.error(of: store.load()) is StoreError, "no StoreError")
            let gate = place.gate(over: store) { _ in .just(Credential(accessToken: "never")) }
            try expectStoreError(in: .failure(try place.error(of: gate.credential())))
            try expectStoreError(in: .failure(try place.error(of: gate.logout())))
            try expect(try place.error(of: place.makeStore().load()) is StoreError, "it was replaced")
            _ = try place.get(gate.login(Credential(accessToken: "a1", refreshToken: "r1")))
            try expect(try place.get(place.makeStore().load()).credential?.accessToken, is: "a1", "stored")
            try expect(try place.get(gate.credential()).accessToken, is: "a1", "current")
        },
    ]

    private static func expectStoreError(in result: Result<Credential, any Error>?) throws {
        guard case .failure(let error)? = result, (error as? HTTPClientError)?.code == .store else {
            throw Breach("no error of the store")
        }
    }
}
