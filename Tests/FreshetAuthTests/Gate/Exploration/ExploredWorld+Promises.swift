import FreshetCore
import XCTest

@testable import FreshetAuth

extension ExploredWorld {
    mutating func perform(_ action: RefreshStateMachine.Action) {
        switch action {
        case .peek(let id): calls[id] = Call()
        case .open(let id): calls[id] = Call(state: .opening)
        case .inherit(let id, let other):
            promise(holder == other, "there is no lock to inherit")
            holder = id
            calls[id] = Call(state: .opening)
        case .bequeath(let id, let other):
            promise(holder == id, "there is no lock to leave")
            holder = other
        case .reread(let id):
            promise(holder == id, "read again without the lock")
            calls[id]?.state = .opening
        case .refresh(let id, let credential):
            promise(holder == id, "asked without the lock")
            if let token = credential?.refreshToken {
                promise(!spentByUs.contains(token), "\(token) used twice")
            }
            for case .refreshing(let other) in calls.values.map(\.state) where credential != nil {
                promise(other?.refreshToken != credential?.refreshToken, "asked twice at once")
            }
            calls[id]?.state = .refreshing(credential)
        case .persist(let id, let record):
            promise(holder == id, "written without the lock")
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
            promise(credential.accessToken == published?.accessToken, "not what is published")
            given = credential.generation
        case .fail(let waiters, _): tell(waiters)
        case .announce: announce()
        case .extend(let id): promise(holder == id, "waited for without the lock")
        case .interrupt, .report, .reportRevocation: break
        }
    }

    private var published: Credential? {
        if case .active(let held) = machine.session { held.credential } else { nil }
    }

    func check() {
        if let published { promise(persisted.contains(published.accessToken), "published, not persisted") }
        if let ready = machine.ready(at: moment) {
            promise(ready.accessToken == published?.accessToken, "stale")
            promise(!ready.isExpired(at: wall), "handed out when it had ended")
        }
        promise(isEverybodyKnown, "a waiter is lost")
        if let flight = machine.flight { promise(calls[flight.id] != nil, "nothing runs for those who wait") }
        promise(calls.values.reduce(0) { $0 + ($1.record == nil ? 0 : 1) } <= 1, "two writes at once")
    }

    /// Whether the machine knows of all who wait, and of nobody else.
    private var isEverybodyKnown: Bool {
        var count = machine.forced.count
        var isAll = machine.forced.allSatisfy(waiting.contains)
        func note(_ owner: Int?) {
            guard let owner else { return }
            count += 1
            isAll = isAll && waiting.contains(owner)
        }
        if let flight = machine.flight {
            for waiter in flight.waiters.keys { note(waiter) }
            note(flight.owner)
        }
        for write in machine.writes { note(write.owner) }
        for revocation in machine.revocations.values { note(revocation.owner) }
        return isAll && count == waiting.count
    }

    /// Lets everything that was begun end well, whatever comes first.
    func checkRest() {
        var world = self
        let ends: [Step] = [.peek, .open, .persist, .answer, .refuse, .revoked]
        for _ in 0..<60 {
            guard ends.contains(where: { world.admits($0) && world.take($0) }) else { break }
        }
        world.promise(world.waiting.isEmpty, "not told at rest")
        world.promise(world.calls.isEmpty, "runs for ever")
        world.promise(world.holder == nil, "the lock is kept")
        world.promise(!world.machine.isExchanging, "never settled")
        world.promise(world.machine.writes.isEmpty && world.machine.forced.isEmpty, "left behind")
        if let unsaved = world.machine.unsaved?.record.credential { world.loose.remove(unsaved.accessToken) }
        world.promise(world.loose.isEmpty, "lives on")
    }
}
