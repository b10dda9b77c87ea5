import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The requests of one account to one origin that wait to be sent.
final class RateLimitQueue: Sendable {
    private struct Waiter: Sendable {
        let number: Int
        let priority: Int
        let permit: RateLimitPermit
        let begin: @Sendable (Instant?) -> Void
    }

    private struct State: Sendable {
        /// One of them is set.
        var fixed: TokenBucket?
        var learned: LearnedLimit?
        /// Those with a higher priority first, and those with the same priority in the order of their numbers.
        var waiters: [Waiter] = []
        var lastNumber = 0
        /// The number of the last request that found the limit exhausted. It and those before it have waited.
        var lastDelayed = 0

        mutating func wait(at now: Instant) -> Duration { learned?.wait(at: now) ?? fixed?.wait(at: now) ?? .zero }

        mutating func take(at now: Instant) {
            learned?.take(at: now)
            fixed?.take()
        }

        mutating func remove(at index: Int) {
            waiters.remove(at: index)
            guard waiters.isEmpty else { return }
            learned?.endWait()
            fixed?.endWait()
        }

        /// The shortest time until a new request is sent. It can take longer if the requests before it exceed a burst.
        mutating func expectedWait(at now: Instant) -> Duration {
            let next = wait(at: now)
            guard let rate = fixed?.rate else { return next }
            return next + .seconds(min(Double(waiters.count) / rate, TokenBucket.longestWait))
        }

        /// Where a waiter is, or belongs. A queue can be too long to look at all of it for each request.
        func index(of number: Int, _ priority: Int) -> Int {
            var (low, high) = (0, waiters.count)
            while low < high {
                let middle = (low + high) / 2
                let other = waiters[middle]
                let isBefore = other.priority == priority ? other.number < number : other.priority > priority
                if isBefore { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private let maximumWait: Duration?
    private let scheduler: any SchedulerType
    private let state: Locked<State>
    private let timer = SerialDisposable()
    private let calls = SerialCalls()

    init(_ rule: RateLimit.Rule, maximumWait: Duration?, longestPause: Duration, scheduler: any SchedulerType) {
        self.maximumWait = maximumWait
        self.scheduler = scheduler
        switch rule {
        case .fixed(let rate, let burst):
            state = Locked(State(fixed: TokenBucket(rate: rate, burst: burst, at: scheduler.now)))
        case .learned:
            state = Locked(State(learned: LearnedLimit(longestPause: longestPause)))
        }
    }

    deinit { timer.dispose() }

    /// Emits how long the request has waited, when it may be sent; zero if it may be sent at once. A request that is disposed of
    /// earlier does not count against the limit.
    func turn(of request: Request, _ permit: RateLimitPermit) -> Observable<Duration> {
        .create { [self] observer in
            let now = scheduler.now
            let priority = request.tags[RequestPriority.self]?.value ?? 0
            let (number, wait) = state.withLock { state -> (Int, Duration) in
                let wait = state.expectedWait(at: now)
                if let maximumWait, wait > maximumWait { return (0, wait) }
                state.lastNumber += 1
                let waiter = Waiter(
                    number: state.lastNumber, priority: priority, permit: permit,
                    begin: {
                        observer.onNext($0.map { now.duration(to: $0) } ?? .zero)
                        observer.onCompleted()
                    })
                state.waiters.insert(waiter, at: state.index(of: waiter.number, priority))
                return (waiter.number, wait)
            }
            guard number > 0 else {
                observer.onError(overloaded(wait, request))
                return Disposables.create()
            }
            admit()
            return Disposables.create { [self] in
                state.withLock { state in
                    let index = state.index(of: number, priority)
                    if index < state.waiters.count, state.waiters[index].number == number {
                        state.remove(at: index)
                    }
                }
            }
        }
    }

    private func overloaded(_ wait: Duration, _ request: Request) -> HTTPClientError {
        let seconds = Int((wait / .seconds(1)).rounded(.up))
        return HTTPClientError(
            .overloaded, phase: .queued, origin: request.url.origin.description,
            message: "the request would wait \(seconds) s for the rate limit, and may wait \(maximumWait ?? .zero)",
            recoverySuggestion: .sendFewerAtOnce, isUnsent: true)
    }

    /// A response has arrived, or a request has ended without one.
    func receive(_ response: (HTTPResponse.Status, RateLimitFields)?, sentAt sendTime: Instant) {
        let now = scheduler.now
        state.withLock { $0.learned?.receive(response?.0, response?.1, sentAt: sendTime, at: now) }
        admit()
    }

    /// Starts the requests that may be sent now, and schedules the next one. Only one call at a time does so. Otherwise the timer
    /// of one could replace that of a later one, and a response within the start of its request would deepen the stack.
    private func admit() {
        calls.run { startWaiting() }
    }

    private func startWaiting() {
        while true {
            let now = scheduler.now
            let (waiter, hasWaited, wait) = state.withLock { state -> (Waiter?, Bool, Duration?) in
                guard let first = state.waiters.first else { return (nil, false, nil) }
                let wait = state.wait(at: now)
                guard wait <= .zero else {
                    state.lastDelayed = state.lastNumber
                    return (nil, false, wait)
                }
                if first.permit.take(at: now) { state.take(at: now) }
                state.remove(at: 0)
                return (first, first.number <= state.lastDelayed, nil)
            }
            if let waiter {
                waiter.begin(hasWaited ? now : nil)
                continue
            }
            guard let wait else { return timer.disposable = Disposables.create() }
            timer.disposable = scheduler.scheduleRelative((), dueTime: max(wait, .milliseconds(1))) { [weak self] in
                self?.admit()
                return Disposables.create()
            }
            return
        }
    }
}
