import FreshetCore
import FreshetHTTP

extension RefreshGate {
    typealias Outcome = Result<Credential?, RefreshFailure>
    /// Is called with the outcome of a wait, and with the moment when the outcome was decided. A callback can run after
    /// further changes of the session.
    typealias Completion = @Sendable (Outcome, Moment) -> Void

    /// What a request that needs a login knows of the gate when it fails.
    struct Moment: Sendable {
        /// The credential of the session.
        var last: Credential?
        var abandonedLogins = 0
    }

    /// The state of a gate between two calls.
    struct State: Sendable {
        var machine: RefreshStateMachine
        var waiters: [Int: Completion] = [:]
        /// The callbacks that are called when the session ends.
        var uses: [Int: @Sendable (HTTPClientError) -> Void] = [:]
        /// The requests that wait for a login.
        var loginWaiters: [Int: LoginWaiter] = [:]
        /// How many logins have been abandoned. A login can be abandoned while it is announced, before the requests that
        /// need it wait for it.
        var abandonedLogins = 0
        /// Whether requests that need a login fail at once.
        var waitsForNoLogin = false
        /// Whether the store is read for the login of another process.
        var isWatchingForLogins = false
        /// The callbacks that are called when no exchange is left that must not be lost.
        var settling: [Int: @Sendable (SingleEvent<Void>) -> Void] = [:]
        /// Whether the scheduler runs no more work.
        var isEnded = false
        var operations: [Int: RunningOperation] = [:]
        /// The transactions by the numbers of their operations.
        var transactions: [Int: RefreshTransaction] = [:]
        /// The actions that the machine has requested and that have not started, each with its context.
        private var actions: [(RefreshStateMachine.Action, SubscriptionContext)] = []
        private var isPerforming = false
        private var lastNumber = 0

        init(machine: RefreshStateMachine) { self.machine = machine }

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// Applies `input` to the machine and queues its actions.
        ///
        /// - Returns: the callbacks to call after the actions. The callbacks of a logout are collected now, not later: a caller
        ///   that registers later uses the session of another login.
        mutating func apply(
            _ input: RefreshStateMachine.Input, at now: Timestamp, random: Double, in context: SubscriptionContext
        ) -> [@Sendable () -> Void] {
            var ends: [@Sendable () -> Void] = []
            var callbacks: [@Sendable () -> Void] = []
            for action in machine.apply(input, at: now, random: random) {
                switch action {
                case .release(let waiters, let credential): callbacks += complete(waiters, .success(credential))
                case .fail(let waiters, let failure): callbacks += complete(waiters, .failure(failure))
                case .interrupt(let failure):
                    ends += endUses(failure) + endLoginWaits()
                case .interruptUses(let failure): ends += endUses(failure)
                case .loggedIn(let credential):
                    callbacks += endLoginWaits(with: credential)
                    actions.append((action, context))
                default: actions.append((action, context))
                }
            }
            if !settling.isEmpty, let settled = machine.settled {
                let result = settled.mapError { $0.clientError as any Error }
                callbacks += settling.sorted { $0.key < $1.key }.map { waiter in { waiter.value(result) } }
                settling = [:]
            }
            return ends + callbacks
        }

        private func endUses(_ failure: RefreshFailure) -> [@Sendable () -> Void] {
            let error = failure.clientError
            return uses.sorted { $0.key < $1.key }.map { use in { use.value(error) } }
        }

        private mutating func complete(_ waiters: [Int], _ outcome: Outcome) -> [@Sendable () -> Void] {
            let completions = waiters.compactMap { self.waiters.removeValue(forKey: $0) }
            let moment = Moment(last: machine.lastCredential, abandonedLogins: abandonedLogins)
            return completions.map { completion in { completion(outcome, moment) } }
        }

        /// Whether the caller has to perform the queued actions. Only one thread performs at a time, so that the machine's
        /// order is kept.
        mutating func beginPerforming() -> Bool {
            guard !isPerforming, !actions.isEmpty else { return false }
            isPerforming = true
            return true
        }

        /// Returns the next action for the performing thread; `nil` if none is left.
        mutating func nextAction() -> (RefreshStateMachine.Action, SubscriptionContext)? {
            isPerforming = !actions.isEmpty
            return isPerforming ? actions.removeFirst() : nil
        }
    }
}
