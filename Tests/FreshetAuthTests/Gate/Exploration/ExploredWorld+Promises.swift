import FreshetCore
import XCTest

@testable import FreshetAuth

extension ExploredWorld {
    mutating func perform(_ action: RefreshStateMachine.Action) {
        switch action {
        case .peek(let id): calls[id] = Call()
        case .begin(let id):
            calls[id] = Call(state: .queued)
            line.append(id)
            // If no other operation waits, the turn comes at once.
            if turn == nil, line.count == 1 { begin() }
        case .open(let id):
            promise(turn == id, "opened out of turn")
            promise(holder == nil || holder == id, "there is a lock that nobody gave back")
            calls[id] = Call(state: .opening)
        case .replace(let id, let other):
            promise(turn == id, "there is no transaction to take over")
            line.removeAll { $0 == other }
            turn = other
            if holder == id { holder = other }
        case .drop(let id):
            promise(turn != id, "a transaction is left behind")
            calls[id] = nil
        case .refresh(let id, let credential):
            promise(holder == id && turn == id, "asked without the lock")
            if let token = credential?.refreshToken {
                promise(!spentByUs.contains(token), "\(token) used twice")
            }
            for case .refreshing(let other) in calls.values.map(\.state) where credential != nil {
                promise(other?.refreshToken != credential?.refreshToken, "asked twice at once")
            }
            calls[id]?.state = .refreshing(credential)
        case .persist(let id, let record):
            promise(holder == id && turn == id, "written without the lock")
            calls[id]?.state = .persisting(record)
        case .close(let id):
            calls[id] = nil
            if holder == id { holder = nil }
            if turn == id { turn = nil }
        case .revoke(let id, let credential):
            loose.remove(credential.accessToken)
            calls[id] = Call(state: .revoking)
        case .release(let waiters, let credential):
            report(waiters)
            guard let credential else { break }
            promise(credential.accessToken == published?.accessToken, "not what is published")
            given = credential.generation
        case .fail(let waiters, _): report(waiters)
        case .announce: announce()
        // The response to a superseded refresh is not written, so it needs no lock.
        case .extend(let id): promise(holder == id || machine.refresh?.id != id, "waited for without the lock")
        case .peekLater, .interrupt, .interruptUses, .loggedIn, .report, .reportRevocation: break
        }
    }

    private var published: Credential? {
        if case .active(let current) = machine.session { current.credential } else { nil }
    }

    func check() {
        if let published { promise(persisted.contains(published.accessToken), "published, not persisted") }
        if let ready = machine.ready(at: now) {
            promise(ready.accessToken == published?.accessToken, "stale")
            promise(!ready.isExpired(at: wall), "handed out when it had ended")
        }
        promise(isEverybodyKnown, "a waiter is lost")
        if let running = machine.running { promise(calls[running.id] != nil, "nothing runs for those who wait") }
        for write in machine.queue { promise(line.contains(write.id), "a turn is lost") }
        promise(calls.values.reduce(0) { $0 + ($1.record == nil ? 0 : 1) } <= 1, "two writes at once")
    }

    /// Whether the machine knows exactly the waiters that wait.
    private var isEverybodyKnown: Bool {
        var known = Array(machine.waiting.keys) + machine.forced + machine.queue.map(\.owner)
        if case .write(let write)? = machine.running { known.append(write.owner) }
        known += machine.revocations.values.compactMap(\.owner)
        known.removeAll { gone.contains($0) }
        return known.count == waiting.count && Set(known) == waiting
    }

    /// Lets every operation that has begun end with success, in a fixed order, and then checks that nothing is left.
    func checkRest() {
        var world = self
        let ends: [Step] = [.peek, .begin, .open, .persist, .response, .refuse, .revoked]
        for _ in 0..<60 {
            guard ends.contains(where: { world.admits($0) && world.perform($0) }) else { break }
        }
        world.promise(world.waiting.isEmpty, "not notified at rest")
        world.promise(world.calls.isEmpty, "runs for ever")
        world.promise(world.holder == nil, "the lock is kept")
        world.promise(!world.machine.isExchanging, "never settled")
        world.promise(world.machine.isIdle && world.line.isEmpty && world.turn == nil, "left behind")
        world.promise(world.machine.waiting.isEmpty && world.machine.forced.isEmpty, "waits for ever")
        if let pendingWrite = world.machine.pendingWrite?.record.credential {
            world.loose.remove(pendingWrite.accessToken)
        }
        world.promise(world.loose.isEmpty, "lives on")
    }
}
