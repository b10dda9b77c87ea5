import FreshetCore
import FreshetHTTP

@testable import FreshetAuth

/// Drives a ``RefreshStateMachine`` and describes each action of it as a short string.
struct MachineBench {
    var machine: RefreshStateMachine
    var wall = 1000.0
    var monotonic = 0.0
    private(set) var last: [RefreshStateMachine.Action] = []
    private(set) var events: [RefreshEvent] = []
    private(set) var failures: [RefreshFailure] = []

    /// The random number that the machine uses, between 0 and 1.
    var random = 0.5

    init(settings: RefreshGate.Settings = .init()) {
        machine = RefreshStateMachine(settings: settings)
    }

    /// Makes a machine that has read `credential` from its store, with operation 1 and waiter 0.
    init(holding credential: Credential, settings: RefreshGate.Settings = .init()) {
        self.init(settings: settings)
        _ = send(.requested(waiter: 0, replacing: nil))
        _ = found(1, StoredCredential(credential: credential, version: credential.generation))
    }

    mutating func pass(_ seconds: Double) {
        wall += seconds
        monotonic += seconds
    }

    mutating func send(_ input: RefreshStateMachine.Input) -> [String] {
        last = machine.apply(input, at: now, random: random)
        for case .report(let event) in last { events.append(event) }
        for case .fail(_, let failure) in last { failures.append(failure) }
        return last.map(Self.describe)
    }

    var now: Timestamp { Timestamp(wall: wall, monotonic: Instant(sinceStart: .seconds(monotonic))) }

    /// Gives operation `id` its turn, if it has not had it, and the stored `record`.
    mutating func found(_ id: Int, _ record: StoredCredential) -> [String] {
        opened(id, .found(record))
    }

    mutating func opened(_ id: Int, _ opening: RefreshStateMachine.Opening) -> [String] {
        if case .readingStore? = machine.refresh?.phase { _ = send(.peeked(id, nil)) }
        _ = send(.began(id))
        return send(.opened(id, opening))
    }

    private static func describe(_ action: RefreshStateMachine.Action) -> String {
        switch action {
        case .peek(let id): "peek \(id)"
        case .peekLater(let id): "peek \(id) later"
        case .begin(let id): "begin \(id)"
        case .open(let id): "open \(id)"
        case .replace(let id, let other): "replace \(id) by \(other)"
        case .refresh(let id, let credential): "refresh \(id) with \(credential?.refreshToken ?? "nothing")"
        case .persist(let id, let record):
            "persist \(id) \(record.credential?.accessToken ?? "nothing")\(record.isRefused ? " refused" : "")"
        case .revoke(let number, let credential): "revoke \(number) \(credential.accessToken)"
        case .extend(let id): "extend \(id)"
        case .drop(let id): "drop \(id)"
        case .close(let id): "close \(id)"
        case .release(let waiters, let credential): "release \(waiters) \(credential?.accessToken ?? "nothing")"
        case .fail(let waiters, let failure): "fail \(waiters) \(failure.clientError.code.rawValue)"
        case .announce(let reason): "announce \(reason.rawValue)"
        case .loggedIn: "logged in"
        case .interruptUses(let failure): "interrupt uses \(failure.clientError.code.rawValue)"
        case .interrupt(let failure): "interrupt \(failure.clientError.code.rawValue)"
        case .report(let event): "report \(event.outcome.rawValue)"
        case .reportRevocation(let event): "report \(event.cause.rawValue) \(event.outcome.rawValue)"
        }
    }
}

struct Trouble: Error, Equatable {
    var name = "trouble"
}

/// The pair of tokens of a generation: `a1` and `r1`, `a2` and `r2`…
func pair(_ generation: Int, expiresAt: Double? = nil) -> Credential {
    Credential(
        accessToken: "a\(generation)", refreshToken: "r\(generation)", expiresAt: expiresAt, generation: generation)
}

func stored(_ generation: Int, expiresAt: Double? = nil, isRefused: Bool = false) -> StoredCredential {
    StoredCredential(credential: pair(generation, expiresAt: expiresAt), version: generation, isRefused: isRefused)
}

extension RefreshGate.Settings {
    static var withoutLogins: Self {
        var settings = Self()
        settings.needsLogin = false
        return settings
    }
}

extension RefreshStateMachine {
    /// Returns the credential that a request can use at once without any other action; `nil` if there is none.
    func ready(replacing: Int? = nil, at now: Timestamp) -> Credential? {
        guard let usable = usable(replacing: replacing), !usable.until.isReached(at: now) else { return nil }
        return usable.credential
    }
}
