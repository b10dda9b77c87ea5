import FreshetCore
import XCTest

@testable import FreshetAuth

extension ExploredWorld {
    mutating func perform(_ action: RefreshStateMachine.Action) {
        switch action {
        case .peek(let id): calls[id] = Call()
        case .open(let id): calls[id] = Call(state: .opening)
        case .inherit(let id, let other):
            XCTAssertEqual(holder, other, "there is no lock to inherit: \(path)")
            holder = id
            calls[id] = Call(state: .opening)
        case .bequeath(let id, let other):
            XCTAssertEqual(holder, id, "there is no lock to leave: \(path)")
            holder = other
        case .reread(let id):
            XCTAssertEqual(holder, id, "read again without the lock: \(path)")
            calls[id]?.state = .opening
        case .refresh(let id, let credential):
            XCTAssertEqual(holder, id, "asked without the lock: \(path)")
            if let token = credential?.refreshToken {
                XCTAssertFalse(spentByUs.contains(token), "\(token) used twice: \(path)")
            }
            for case .refreshing(let other) in calls.values.map(\.state) where credential != nil {
                XCTAssertNotEqual(other?.refreshToken, credential?.refreshToken, "asked twice at once: \(path)")
            }
            calls[id]?.state = .refreshing(credential)
        case .persist(let id, let record):
            XCTAssertEqual(holder, id, "written without the lock: \(path)")
            calls[id]?.state = .persisting(record)
        case .close(let id):
            calls[id] = nil
            if holder == id { holder = nil }
        case .revoke(let id, let credential):
            loose.remove(credential.accessToken)
            calls[id] = Call(state: .revoking)
        case .release(let waiters, let credential):
            tell(waiters)
            guard let credential else { break }
            XCTAssertEqual(credential.accessToken, published?.accessToken, "not what is published: \(path)")
            given = credential.generation
        case .fail(let waiters, _): tell(waiters)
        case .announce: announce()
        case .interrupt, .report, .reportRevocation: break
        }
    }

    private var published: Credential? {
        if case .active(let held) = machine.session { held.credential } else { nil }
    }

    func check() {
        if let published {
            XCTAssertTrue(persisted.contains(published.accessToken), "published, not persisted: \(path)")
        }
        if let ready = machine.ready(at: moment) {
            XCTAssertEqual(ready.accessToken, published?.accessToken, "stale: \(path)")
            XCTAssertFalse(ready.isExpired(at: wall), "handed out when it had ended: \(path)")
        }
        let flight = machine.flight
        let known = Set(flight?.waiters.keys.map { $0 } ?? [])
            .union([flight?.owner].compactMap { $0 }).union(machine.writes.compactMap(\.owner))
            .union(machine.forced).union(machine.revocations.values.compactMap(\.owner))
        XCTAssertEqual(waiting, known, "a waiter is lost: \(path)")
        if let flight { XCTAssertNotNil(calls[flight.id], "nothing runs for those who wait: \(path)") }
        XCTAssertLessThanOrEqual(
            calls.values.filter { $0.record != nil }.count, 1, "two writes at once: \(path)")
    }

    /// Lets everything that was begun end well, whatever comes first.
    func checkRest() {
        var world = self
        let ends: [Step] = [.peek, .open, .persist, .answer, .refuse, .revoked]
        for _ in 0..<60 {
            guard ends.contains(where: { world.take($0) }) else { break }
        }
        XCTAssertEqual(world.waiting, [], "not told at rest: \(path)")
        XCTAssertTrue(world.calls.isEmpty, "runs for ever: \(path)")
        XCTAssertNil(world.holder, "the lock is kept: \(path)")
        XCTAssertFalse(world.machine.isExchanging, "never settled: \(path)")
        XCTAssertTrue(world.machine.writes.isEmpty && world.machine.forced.isEmpty, "left behind: \(path)")
        let unsaved = world.machine.unsaved?.record.credential?.accessToken
        XCTAssertTrue(world.loose.subtracting([unsaved].compactMap { $0 }).isEmpty, "lives on: \(path)")
    }
}
