/// The counts and faults of a chaos run.
struct ChaosReport {
    var steps = 0
    var requests = 0
    var succeeded = 0
    var cancelled = 0
    var abandoned = 0
    var kills = 0
    var logouts = 0
    var stepUps = 0
    var lostKeys = 0
    var tokens = 0
    var outputSize = 0
    var codes: [String: Int] = [:]
    var counts = ChaosLedger.Counts()
    var serverFaults: [ChaosAuthority.Fault: Int] = [:]
    var programs = ChaosResources()
    var ourselves = ChaosResources()
    var faults: [String] = []

    /// The errors that a client may report while its token endpoint fails and its session ends.
    static let expectedCodes: Set<String> = [
        "refresh_failed", "refresh_storm", "login_required", "timeout", "step_up_required",
    ]

    mutating func add(_ process: ChaosProcess, wasKilled: Bool, _ authority: ChaosAuthority) {
        requests += process.written
        faults += process.faults.map { "\($0) [\(authority.fate(of: $0.prefix { $0 != ":" }.description))]" }
        if wasKilled {
            abandoned += process.open.count
        } else {
            faults += process.open.map { "\($0) was never answered" }
        }
        add(process.succeeded, process.codes, authority)
    }

    mutating func add(_ client: ChaosClient, _ authority: ChaosAuthority) {
        requests += client.sent
        cancelled += client.cancelled
        faults += client.faults.map { "\($0) [\(authority.fate(of: $0.prefix { $0 != ":" }.description))]" }
        add(client.succeeded, client.codes, authority)
    }

    private mutating func add(_ succeeded: [String], _ codes: [String: Int], _ authority: ChaosAuthority) {
        self.succeeded += succeeded.count
        authority.withLedger { ledger in
            faults += succeeded.filter { !ledger.wasAccepted($0) }.map { "\($0) was answered and never let in" }
        }
        self.codes.merge(codes) { $0 + $1 }
    }
}

extension ChaosReport: CustomStringConvertible {
    var description: String {
        let errors = codes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let failures = serverFaults.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" }
        return """
            \(steps) steps, \(kills) kills, \(counts.logins) logins, \(logouts) logouts, \(stepUps) step-ups for \
            \(counts.demands) demands, \(lostKeys) lost keys, \(cancelled) cancelled
            \(requests) requests: \(succeeded) answered with 200, \(abandoned) lost with a killed program; \(errors)
            \(counts.refreshes) refreshes, \(counts.refusals) refused, of these \(counts.expectedReuses) after a lost answer; \
            \(counts.rejected) requests with an ended token
            the token endpoint's faults: \(failures.joined(separator: ", "))
            programs: at most \(programs.descriptors) descriptors, \(programs.residentKilobytes / 1024) MB; \
            \(tokens) tokens looked for in \(outputSize / 1024) KB of output
            """
    }
}
