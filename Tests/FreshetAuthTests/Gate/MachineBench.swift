import FreshetCore
import FreshetHTTP

@testable import FreshetAuth

/// Drives a ``RefreshStateMachine`` and writes down what it asks for, one word an action.
struct MachineBench {
    var machine: RefreshStateMachine
    var wall = 1000.0
    var monotonic = 0.0
    private(set) var last: [RefreshStateMachine.Action] = []
    private(set) var events: [RefreshEvent] = []
    private(set) var failures: [RefreshFailure] = []

    /// What chance says.
    var chance = 0.5

    init(limits: RefreshStateMachine.Limits = .init()) {
        machine = RefreshStateMachine(limits: limits)
    }

    /// A machine that has read `credential` from its store, by flight 1 and waiter 0.
    init(holding credential: Credential, limits: RefreshStateMachine.Limits = .init()) {
        self.init(limits: limits)
        _ = send(.requested(waiter: 0, replacing: nil))
        _ = send(
            .opened(flight: 1, .found(StoredCredential(credential: credential, version: credential.generation))))
    }

    mutating func pass(_ seconds: Double) {
        wall += seconds
        monotonic += seconds
    }

    mutating func send(_ input: RefreshStateMachine.Input) -> [String] {
        last = machine.handle(input, at: moment, chance: chance)
        for case .report(let event) in last { events.append(event) }
        for case .fail(_, let failure) in last { failures.append(failure) }
        return last.map(Self.describe)
    }

    var moment: Moment { Moment(wall: wall, monotonic: Instant(sinceStart: .seconds(monotonic))) }

    mutating func found(_ flight: Int, _ record: StoredCredential) -> [String] {
        send(.opened(flight: flight, .found(record)))
    }

    private static func describe(_ action: RefreshStateMachine.Action) -> String {
        switch action {
        case .peek(let flight): "peek \(flight)"
        case .open(let flight): "open \(flight)"
        case .refresh(let flight, let credential): "refresh \(flight) with \(credential?.refreshToken ?? "nothing")"
        case .persist(let flight, let record):
            "persist \(flight) \(record.credential?.accessToken ?? "nothing")\(record.isRefused ? " refused" : "")"
        case .inherit(let flight, let other): "inherit \(flight) from \(other)"
        case .bequeath(let flight, let other): "bequeath \(flight) to \(other)"
        case .reread(let flight): "reread \(flight)"
        case .revoke(let number, let credential): "revoke \(number) \(credential.accessToken)"
        case .extend(let flight): "extend \(flight)"
        case .close(let flight): "close \(flight)"
        case .release(let waiters, let credential): "release \(waiters) \(credential?.accessToken ?? "nothing")"
        case .fail(let waiters, let failure): "fail \(waiters) \(failure.clientError.code.rawValue)"
        case .announce(let reason): "announce \(reason.rawValue)"
        case .interrupt(let failure): "interrupt \(failure.clientError.code.rawValue)"
        case .report(let event): "report \(event.outcome.rawValue)"
        case .reportRevocation(let event): "report \(event.cause.rawValue) \(event.outcome.rawValue)"
        }
    }
}

struct Trouble: Error, Equatable {
    var name = "trouble"
}

/// The pair of a generation: `a1` and `r1`, `a2` and `r2`…
func pair(_ generation: Int, expiresAt: Double? = nil) -> Credential {
    Credential(
        accessToken: "a\(generation)", refreshToken: "r\(generation)", expiresAt: expiresAt, generation: generation)
}

func stored(_ generation: Int, expiresAt: Double? = nil, isRefused: Bool = false) -> StoredCredential {
    StoredCredential(credential: pair(generation, expiresAt: expiresAt), version: generation, isRefused: isRefused)
}
