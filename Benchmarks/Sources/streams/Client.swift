import Dispatch
import Freshet
import Glibc
import Peer

/// Follows so many streams on one loop, and sees that each event comes once and in its turn.
// Unchecked: all is the loop's.
final class Client: @unchecked Sendable {
    /// Of the histogram, in milliseconds.
    static let bin = 100

    private let runtime: FreshetRuntime
    private let request: Request
    private let count: Int
    private let seconds: Int
    private let tally: StreamTally
    private let allOpen = DispatchSemaphore(value: 0)
    private var followers: [Follower] = []
    private var opened = 0

    fileprivate(set) var events = 0
    fileprivate(set) var missed = 0
    fileprivate(set) var repeated = 0
    /// Connections that were asked for.
    fileprivate(set) var attempts = 0
    /// How long each stream that was lost was away, in so many milliseconds.
    fileprivate var absences: [Int] = []
    /// The longest that one was away beyond the waiting times that it had told of.
    fileprivate var latest = 0

    init(_ options: Options) throws {
        OpenFiles.raiseLimit()
        (count, seconds) = (options.streams, options.seconds)
        var configuration = FreshetRuntime.Configuration()
        configuration.transport.pool.maximumLongLived = count
        runtime = try FreshetRuntime(configuration: configuration)
        request = try Request(.get, options.url ?? "")
        tally = StreamTally(of: "freshet", count)
    }

    /// Prints the line of JSON.
    func run() {
        // No listener's queue is to overflow.
        onLoop { for _ in 0..<min(256, self.count) { self.follow() } }
        allOpen.wait()
        tally.areOpen(lost: 0)
        let before = onLoop { self.events }
        sleep(UInt32(seconds))
        print(onLoop { self.line(since: before) })
        // One that the client ends would be an error.
        onLoop { for follower in self.followers { follower.end() } }
        runtime.shutdown()
    }

    private func line(since before: Int) -> String {
        var histogram = [Int](repeating: 0, count: (absences.max() ?? -Self.bin) / Self.bin + 1)
        for absence in absences { histogram[absence / Self.bin] += 1 }
        return tally.figures().with("peak_rss_kb", Memory.peakKilobytes).with("events", events - before)
            .with("missed", missed).with("repeated", repeated).with("attempts", attempts)
            .with("away", followers.count { $0.isAway }).with("latest_ms", latest).with("absences", histogram).text
    }

    private func follow() {
        let follower = Follower(of: self)
        followers.append(follower)
        follower.begin(EventSource(request, by: runtime.client))
    }

    fileprivate func isOpen() {
        opened += 1
        if followers.count < count { follow() }
        if opened == count { allOpen.signal() }
    }

    @discardableResult
    private func onLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result: Result?
        runtime.loop.execute {
            result = body()
            done.signal()
        }
        done.wait()
        return result!
    }
}

/// One stream.
// Unchecked: it is the loop's.
private final class Follower: ObserverType, @unchecked Sendable {
    private unowned let client: Client
    private var subscription: (any Disposable)?
    private var last = 0
    private var hasBeenOpen = false
    /// Since when there is no connection, and how long it has said it would wait.
    private var lost: UInt64?
    private var waited = Duration.zero

    var isAway: Bool { lost != nil || !hasBeenOpen }

    init(of client: Client) {
        self.client = client
    }

    func begin(_ source: EventSource) {
        subscription = source.signals.subscribe(self)
    }

    func end() {
        subscription?.dispose()
    }

    func on(_ event: Event<EventSource.Signal>) {
        guard case .next(let signal) = event else { fatalError("a stream has come to its end: \(event)") }
        switch signal {
        case .event(let event): take(event)
        case .connecting: client.attempts += 1
        case .open: isOpen()
        case .reconnecting(let after, _):
            if lost == nil { (lost, waited) = (Clock.nanoseconds, .zero) }
            waited += after
        default: break
        }
    }

    private func take(_ event: ServerSentEvent) {
        client.events += 1
        guard let number = Int(event.id) else { fatalError("an event without a number: \(event)") }
        if last > 0, number > last + 1 { client.missed += number - last - 1 }
        if number <= last { client.repeated += 1 }
        last = number
    }

    private func isOpen() {
        if let lost {
            let absence = Duration.nanoseconds(Clock.nanoseconds - lost)
            client.absences.append(Int(absence / .milliseconds(1)))
            client.latest = max(client.latest, Int((absence - waited) / .milliseconds(1)))
            self.lost = nil
        }
        guard !hasBeenOpen else { return }
        hasBeenOpen = true
        client.isOpen()
    }
}
