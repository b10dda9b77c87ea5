import FreshetCore
import FreshetHTTP

extension RefreshGate {
    typealias Outcome = Result<Credential?, RefreshFailure>

    /// All that a gate remembers between two calls.
    struct State: Sendable {
        var machine: RefreshStateMachine
        var waiters: [Int: @Sendable (Outcome) -> Void] = [:]
        /// Who hears of the end of the session.
        var uses: [Int: @Sendable (HTTPClientError) -> Void] = [:]
        /// The requests that wait for a login.
        var loginWaiters: [Int: LoginWaiter] = [:]
        /// Who is told when nothing is under way that must not be lost.
        var settling: [Int: @Sendable () -> Void] = [:]
        var operations: [Int: RunningOperation] = [:]
        /// By their operations.
        var transactions: [Int: RefreshTransaction] = [:]
        /// What the machine has asked for and nobody has begun to do, and in which context.
        private var actions: [(RefreshStateMachine.Action, SubscriptionContext)] = []
        private var isPerforming = false
        private var lastNumber = 0

        init(machine: RefreshStateMachine) { self.machine = machine }

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// - Returns: whom to call when what is to be done has been done. Those that a logout ends are found here and not then:
        ///   whoever comes later uses the session of another login.
        mutating func apply(
            _ input: RefreshStateMachine.Input, at moment: Moment, chance: Double, in context: SubscriptionContext
        ) -> [@Sendable () -> Void] {
            var ends: [@Sendable () -> Void] = []
            var told: [@Sendable () -> Void] = []
            for action in machine.handle(input, at: moment, chance: chance) {
                switch action {
                case .release(let waiters, let credential): told += complete(waiters, .success(credential))
                case .fail(let waiters, let failure): told += complete(waiters, .failure(failure))
                case .interrupt(let failure):
                    let error = failure.clientError
                    ends += uses.sorted { $0.key < $1.key }.map { use in { use.value(error) } }
                    ends += endLoginWaits()
                case .loggedIn(let credential): told += endLoginWaits(with: credential)
                default: actions.append((action, context))
                }
            }
            if !settling.isEmpty, !machine.isExchanging {
                told += settling.sorted { $0.key < $1.key }.map(\.value)
                settling = [:]
            }
            return ends + told
        }

        private mutating func complete(_ waiters: [Int], _ outcome: Outcome) -> [@Sendable () -> Void] {
            let completions = waiters.compactMap { self.waiters.removeValue(forKey: $0) }
            return completions.map { completion in { completion(outcome) } }
        }

        /// Whether the caller is to perform what waits: one does at a time, so that the order is the machine's.
        mutating func beginPerforming() -> Bool {
            guard !isPerforming, !actions.isEmpty else { return false }
            isPerforming = true
            return true
        }

        /// What the one who performs does next, if anything is left.
        mutating func nextAction() -> (RefreshStateMachine.Action, SubscriptionContext)? {
            isPerforming = !actions.isEmpty
            return isPerforming ? actions.removeFirst() : nil
        }
    }
}
