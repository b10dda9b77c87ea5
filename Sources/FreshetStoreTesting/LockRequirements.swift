import FreshetAuth
import FreshetCore

extension StoreRequirement {
    static let ofTheLock = [
        StoreRequirement("all stores of a fixture have one lease at a time") { fixture in
            let stores = [try fixture.makeStore(), try fixture.makeStore(), try fixture.makeStore()]
            let held = try fixture.get(stores[0].lock())
            var waiting = stores.map { Outcome(of: $0.lock()) }
            fixture.waitAWhile()
            try expect(waiting.allSatisfy { $0.result == nil }, "it was given to a second")
            held.unlock()
            while !waiting.isEmpty {
                try expect(fixture.wait { waiting.contains { $0.result != nil } }, "no waiter got the lock")
                fixture.waitAWhile()
                let served = waiting.filter { $0.result != nil }
                try expect(served.count, is: 1, "the holders of the lock")
                try served[0].result?.get().unlock()
                waiting.removeAll { $0.result != nil }
            }
        },

        StoreRequirement("every waiter gets the lock") { fixture in
            let outcomes = try (0..<20).map { _ in
                Outcome(of: try fixture.makeStore().lock().do(onSuccess: { $0.unlock() }))
            }
            try expect(fixture.wait { outcomes.allSatisfy { $0.result != nil } }, "a waiter did not get the lock")
            for outcome in outcomes { _ = try outcome.result?.get() }
        },

        StoreRequirement("a waiter that gives up leaves the lock to others") { fixture in
            let held = try fixture.get(fixture.makeStore().lock())
            let leaving = Outcome(of: try fixture.makeStore().lock())
            let staying = Outcome(of: try fixture.makeStore().lock())
            fixture.waitAWhile()
            leaving.giveUp()
            held.unlock()
            try expect(fixture.wait { staying.result != nil }, "the other did not get it")
            try expect(leaving.result == nil, "the lock was given to a waiter that had left")
            staying.value?.unlock()
            try fixture.get(fixture.makeStore().lock()).unlock()
        },

        StoreRequirement("a lease that nothing references releases the lock") { fixture in
            for _ in 0..<3 { _ = try fixture.get(fixture.makeStore().lock()) }
        },

        StoreRequirement("a second release does not take the lock from the next holder") { fixture in
            let first = try fixture.get(fixture.makeStore().lock())
            first.unlock()
            let second = try fixture.get(fixture.makeStore().lock())
            first.unlock()
            let third = Outcome(of: try fixture.makeStore().lock())
            fixture.waitAWhile()
            try expect(third.result == nil, "a third got it")
            second.unlock()
            try expect(fixture.wait { third.result != nil }, "the third did not get it")
            third.value?.unlock()
        },

        StoreRequirement("nothing is written without the lock") { fixture in
            let store = try fixture.makeStore()
            try fixture.save(record(1), in: store)
            let lease = try fixture.get(store.lock())
            lease.unlock()
            let error = try fixture.error(of: lease.save(record(2)))
            try expect(error is StoreError, "no StoreError: \(error)")
            try expect(try fixture.get(store.load()), is: record(1), "stored")
        },

        StoreRequirement("a running save ends before the lock is released") { fixture in
            let (store, other) = (try fixture.makeStore(), try fixture.makeStore())
            let lease = try fixture.get(store.lock())
            let saving = Outcome(of: lease.save(record(1)))
            lease.unlock()
            let next = try fixture.get(other.lock())
            try expect(fixture.wait { saving.result != nil }, "the save did not end")
            if case .success? = saving.result {
                try expect(try fixture.get(next.load()), is: record(1), "stored")
            } else {
                try expect(try fixture.get(next.load()), is: .empty, "stored")
            }
            next.unlock()
        },

        StoreRequirement("a save that nobody waits for any more replaces no later one") { fixture in
            let store = try fixture.makeStore()
            try fixture.save(record(1), in: store)
            let lease = try fixture.get(store.lock())
            Outcome(of: lease.save(record(2))).giveUp()
            _ = try fixture.get(lease.load())
            try fixture.get(lease.save(record(3)))
            fixture.waitAWhile()
            try expect(try fixture.get(store.load()), is: record(3), "stored")
            lease.unlock()
        },

        StoreRequirement("a reader does not wait for the lock") { fixture in
            let store = try fixture.makeStore()
            try fixture.save(record(1), in: store)
            let lease = try fixture.get(store.lock())
            try expect(try fixture.get(store.load()), is: record(1), "stored")
            try expect(try fixture.get(fixture.makeStore().load()), is: record(1), "stored")
            lease.unlock()
        },
    ]
}
