import FreshetAuth
import FreshetCore

extension StorePromise {
    static let ofTheLock = [
        StorePromise("all stores of a place have one lease at a time") { place in
            let stores = [try place.makeStore(), try place.makeStore(), try place.makeStore()]
            let held = try place.get(stores[0].lock())
            var waiting = stores.map { Outcome(of: $0.lock()) }
            place.waitAWhile()
            try expect(waiting.allSatisfy { $0.result == nil }, "it was given to a second")
            held.unlock()
            while !waiting.isEmpty {
                try expect(place.waitUntil { waiting.contains { $0.result != nil } }, "no waiter got the lock")
                place.waitAWhile()
                let served = waiting.filter { $0.result != nil }
                try expect(served.count, is: 1, "the holders of the lock")
                try served[0].result?.get().unlock()
                waiting.removeAll { $0.result != nil }
            }
        },

        StorePromise("every waiter gets the lock, and gets it once") { place in
            let outcomes = try (0..<20).map { _ in
                Outcome(of: try place.makeStore().lock().do(onSuccess: { $0.unlock() }))
            }
            try expect(place.waitUntil { outcomes.allSatisfy { $0.result != nil } }, "a waiter did not get the lock")
            place.waitAWhile()
            for outcome in outcomes {
                _ = try outcome.result?.get()
                try expect(outcome.count, is: 1, "answers")
            }
        },

        StorePromise("a waiter that gives up leaves the lock to others") { place in
            let held = try place.get(place.makeStore().lock())
            let leaving = Outcome(of: try place.makeStore().lock())
            let staying = Outcome(of: try place.makeStore().lock())
            place.waitAWhile()
            leaving.giveUp()
            held.unlock()
            try expect(place.waitUntil { staying.result != nil }, "the other did not get it")
            try expect(leaving.result == nil, "the lock was given to a waiter that had left")
            staying.value?.unlock()
            try place.get(place.makeStore().lock()).unlock()
        },

        StorePromise("a lease that nothing references releases the lock") { place in
            for _ in 0..<3 { _ = try place.get(place.makeStore().lock()) }
        },

        StorePromise("a second release does not take the lock from the next holder") { place in
            let first = try place.get(place.makeStore().lock())
            first.unlock()
            let second = try place.get(place.makeStore().lock())
            first.unlock()
            let third = Outcome(of: try place.makeStore().lock())
            place.waitAWhile()
            try expect(third.result == nil, "a third got it")
            second.unlock()
            try expect(place.waitUntil { third.result != nil }, "the third did not get it")
            third.value?.unlock()
        },

        StorePromise("nothing is written without the lock") { place in
            let store = try place.makeStore()
            try place.save(record(1), in: store)
            let lease = try place.get(store.lock())
            lease.unlock()
            let error = try place.error(of: lease.save(record(2)))
            try expect(error is StoreError, "no StoreError: \(error)")
            try expect(try place.get(store.load()), is: record(1), "stored")
        },

        StorePromise("a running save ends before the lock is released") { place in
            let (store, other) = (try place.makeStore(), try place.makeStore())
            let lease = try place.get(store.lock())
            let saving = Outcome(of: lease.save(record(1)))
            lease.unlock()
            let next = try place.get(other.lock())
            if place.waitUntil({ saving.result != nil }), case .success? = saving.result {
                try expect(try place.get(next.load()), is: record(1), "stored")
            } else {
                try expect(try place.get(next.load()), is: .empty, "stored")
            }
            next.unlock()
        },

        StorePromise("a reader does not wait for the lock") { place in
            let store = try place.makeStore()
            try place.save(record(1), in: store)
            let lease = try place.get(store.lock())
            try expect(try place.get(store.load()), is: record(1), "stored")
            try expect(try place.get(place.makeStore().load()), is: record(1), "stored")
            lease.unlock()
        },
    ]
}
