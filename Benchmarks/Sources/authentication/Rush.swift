import Foundation
import Freshet

/// Very many requests at once, with a token that works and with one that has ended, in turns.
struct Rush {
    private let authority: any Authority
    private let runtime: FreshetRuntime
    private let client: HTTPClient
    private let count: Int

    private struct Wrong: Error, CustomStringConvertible {
        var description: String
    }

    init(of count: Int, at authority: any Authority, connections: Int) throws {
        self.count = count
        self.authority = authority
        var configuration = FreshetRuntime.Configuration()
        configuration.transport.pool.maximumConnections = connections
        configuration.transport.pool.maximumConnectionsPerOrigin = connections
        runtime = try FreshetRuntime(configuration: configuration)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(authority.url + "/token"), client: runtime.refreshClient)
        var settings = RefreshGate.Settings()
        settings.refreshLimit = .max
        let gate = runtime.gate(
            store: MemoryStore(try authority.signIn()), authenticator: authenticator, settings: settings)
        client = try runtime.client(authenticatedBy: gate, authenticator, origins: [authority.url])
    }

    /// How long all of them take.
    private func run() throws -> Duration {
        let url = authority.url
        let client = client
        let begin = ContinuousClock.now
        let right = try Observable.range(start: 0, count: count).flatMap { number in
            client.get("\(url)/items/\(number)").map {
                $0.status == .ok && $0.text == "{\"path\":\"/items/\(number)\"}"
            }
        }.waited().count { $0 }
        let duration = ContinuousClock.now - begin
        guard right == count else { throw Wrong(description: "\(count - right) of \(count) answers are wrong") }
        return duration
    }

    /// - Returns: milliseconds with a good token and with one that has ended.
    func round() throws -> (good: Double, ended: Double) {
        let good = try run()
        let before = try authority.refreshes()
        try authority.expire()
        let ended = try run()
        let after = try authority.refreshes()
        guard after.granted - before.granted == 1, after.refused == before.refused else {
            throw Wrong(description: "\(after.granted - before.granted) refreshes, \(after.refused) refused")
        }
        return (good / .milliseconds(1), ended / .milliseconds(1))
    }

    func end() {
        runtime.shutdown()
        authority.end()
    }
}

extension Rush {
    static func report(_ options: Options) throws {
        let count = options.requests ?? 10_000
        print("\(count) requests at once, medians of \(options.rounds) rounds; one refresh each, all answers right")
        print("  server           connections    good token   ended token    ratio")
        for isApart in [true, false] {
            for wanted in options.connections.map({ [$0] }) ?? [64, 512, count] {
                let room = OpenFiles.raiseLimit() - 100
                let connections = min(wanted, isApart ? room : room / 2)
                let rush = try Rush(
                    of: count, at: isApart ? ServerApart() : ServerHere(), connections: connections)
                defer { rush.end() }
                _ = try rush.round()
                var rounds: [(good: Double, ended: Double)] = []
                for _ in 0..<options.rounds { rounds.append(try rush.round()) }
                let good = median(rounds.map(\.good))
                let ended = median(rounds.map(\.ended))
                let ratio = median(rounds.map { $0.ended / $0.good })
                print(
                    "  \(isApart ? "in its process" : "in this process")".padded(to: 19)
                        + "\(connections)".padded(to: -11) + "\(tenths(good)) ms".padded(to: -14)
                        + "\(tenths(ended)) ms".padded(to: -14) + hundredths(ratio).padded(to: -9))
                // Each line as soon as there is one, also into a pipe.
                fflush(nil)
            }
        }
    }
}
