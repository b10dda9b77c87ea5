import FreshetCore
import XCTest

@testable import FreshetAuth

/// Every order of everything that can happen, to a fixed depth.
final class RefreshStateMachineExplorationTests: XCTestCase {
    func testNoOrderOfEventsBreaksAPromise() {
        XCTAssertGreaterThan(World(after: []).explore(depth: 5), 10_000)
        XCTAssertGreaterThan(World(after: [.request, .peek, .fail, .peek, .open]).explore(depth: 5), 10_000)
    }
}

/// A machine, and an outside that keeps account: a store, a server that rotates, requests, and what each was told.
private struct World {
    enum Step: CaseIterable {
        case request, fail, leave, peek, open, openUnreadable, answer, refuse, answerNothing, persist, persistNot,
            overdue
        case login, logout, pass, sibling
    }

    private struct Call {
        enum State { case none, peeking, opening, refreshing(Credential?), persisting(StoredCredential) }
        var state = State.peeking
        var isDetached = false
    }

    private var machine = RefreshStateMachine(limits: .init(refreshes: 3))
    private var time = 0.0
    private var store = stored(1)
    /// Who has asked and not been told.
    private var waiting: Set<Int> = []
    private var lastWaiter = 0
    private var flights: [Int: Call] = [:]
    /// Refresh tokens that were answered: none may be sent twice.
    private var spent: Set<String> = []
    private var lastToken = 1
    /// The newest generation that anybody was given.
    private var given = 0
    private var isAnnounced = false
    private var path: [Step] = []

    init(after steps: [Step]) {
        for step in steps { XCTAssertTrue(take(step)) }
    }

    func explore(depth: Int) -> Int {
        guard depth > 0 else { return 1 }
        var count = 0
        for step in Step.allCases {
            var next = self
            guard next.take(step) else { continue }
            count += next.explore(depth: depth - 1)
        }
        return count
    }

    /// - Returns: whether the step was possible.
    private mutating func take(_ step: Step) -> Bool {
        path.append(step)
        let peeking = flights.filter { if case .peeking = $0.value.state { true } else { false } }.keys.min()
        let open = flights.filter { if case .opening = $0.value.state { true } else { false } }.keys.min()
        let asking = flights.filter { if case .refreshing = $0.value.state { true } else { false } }.keys.min()
        let writing = flights.filter { if case .persisting = $0.value.state { true } else { false } }.keys.min()
        switch step {
        case .request: wait { .requested(waiter: $0, replacing: nil) }
        case .fail:
            guard given > 0 else { return false }
            let failed = given
            wait { .requested(waiter: $0, replacing: failed) }
        case .leave:
            guard let waiter = waiting.min() else { return false }
            waiting.remove(waiter)
            machine.left(waiter)
        case .peek:
            guard let peeking else { return false }
            flights[peeking]?.state = .none
            send(.peeked(flight: peeking, store))
        case .open:
            guard let open else { return false }
            flights[open]?.state = .none
            send(.opened(flight: open, .found(store)))
        case .openUnreadable:
            guard let open else { return false }
            flights[open]?.state = .none
            send(.opened(flight: open, .unreadable(Trouble())))
        case .answer, .refuse, .answerNothing:
            guard let asking, case .refreshing(let credential)? = flights[asking]?.state else { return false }
            flights[asking]?.state = .none
            if step == .answerNothing {
                send(.answered(flight: asking, .failed(Trouble())))
            } else {
                if let token = credential?.refreshToken {
                    XCTAssertTrue(spent.insert(token).inserted, "\(token) sent twice: \(path)")
                }
                lastToken += 1
                let pair = Credential(accessToken: "a\(lastToken)", refreshToken: "r\(lastToken)")
                send(.answered(flight: asking, step == .answer ? .credential(pair) : .refused(Trouble())))
            }
        case .persist, .persistNot:
            guard let writing, case .persisting(let record)? = flights[writing]?.state else { return false }
            flights[writing]?.state = .none
            if step == .persist { store = record }
            send(.persisted(flight: writing, step == .persist ? nil : StoreError("full")))
        case .overdue:
            guard let flight = flights.keys.max() else { return false }
            // A write that was begun may still reach the disk; here it does not.
            send(.overdue(flight: flight))
        case .login:
            lastToken += 1
            let pair = Credential(accessToken: "a\(lastToken)", refreshToken: "r\(lastToken)")
            wait { .login(waiter: $0, pair) }
            isAnnounced = false
        case .logout: wait { .logout(waiter: $0) }
        case .pass: time += 31
        case .sibling:
            // Who is fenced off has the lock no more, and its refresh token is on its way out.
            guard store.credential != nil, !isLocked, !flights.values.contains(where: \.isDetached) else {
                return false
            }
            lastToken += 1
            store.credential?.refreshToken.map { _ = spent.insert($0) }
            store = StoredCredential(
                credential: Credential(accessToken: "a\(lastToken)", refreshToken: "r\(lastToken)"),
                version: store.version + 1)
            isAnnounced = false
        }
        check()
        return true
    }

    private var isLocked: Bool {
        flights.values.contains { call in
            switch call.state {
            case .peeking, .opening: false
            case .none, .refreshing, .persisting: !call.isDetached
            }
        }
    }

    private mutating func wait(_ input: (Int) -> RefreshStateMachine.Input) {
        lastWaiter += 1
        waiting.insert(lastWaiter)
        send(input(lastWaiter))
    }

    private mutating func send(_ input: RefreshStateMachine.Input) {
        let moment = Moment(wall: 1000 + time, monotonic: Instant(sinceStart: .seconds(time)))
        for action in machine.handle(input, at: moment) {
            switch action {
            case .peek(let id): flights[id] = Call()
            case .open(let id): flights[id] = Call(state: .opening)
            case .refresh(let id, let credential): flights[id]?.state = .refreshing(credential)
            case .persist(let id, let record):
                XCTAssertFalse(flights[id]?.isDetached ?? true, "written without the lock: \(path)")
                flights[id]?.state = .persisting(record)
            case .detach(let id): flights[id]?.isDetached = true
            case .close(let id): flights[id] = nil
            case .release(let waiters, let credential):
                tell(waiters)
                guard let credential else { break }
                XCTAssertEqual(credential.generation, machine.session.generation, "stale: \(path)")
                given = credential.generation
            case .fail(let waiters, _): tell(waiters)
            case .announce:
                XCTAssertFalse(isAnnounced, "announced twice: \(path)")
                isAnnounced = true
            case .report: break
            }
        }
        if case .active = machine.session, !machine.isAnnounced { isAnnounced = false }
    }

    private mutating func tell(_ waiters: [Int]) {
        for waiter in waiters {
            XCTAssertNotNil(waiting.remove(waiter), "told twice or after it left: \(path)")
        }
    }

    private func check() {
        XCTAssertLessThanOrEqual(flights.values.filter { !$0.isDetached }.count, 2, "\(path)")
        let known = Set(machine.flight?.waiters.keys.map { $0 } ?? [])
            .union([machine.flight?.owner].compactMap { $0 }).union(machine.writes.compactMap(\.owner))
        XCTAssertEqual(waiting, known, "a waiter is lost: \(path)")
        if machine.flight != nil { XCTAssertFalse(flights.isEmpty, "nothing runs for those who wait: \(path)") }
    }
}

extension RefreshStateMachine.Session {
    fileprivate var generation: Int? {
        if case .active(let held) = self { held.credential.generation } else { nil }
    }
}
