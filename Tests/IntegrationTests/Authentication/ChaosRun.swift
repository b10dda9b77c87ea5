import Foundation
import FreshetCore
import FreshetTesting

/// Runs programs that share a credential, a server that fails, and a user who cancels, logs in and out, and kills.
/// The seed decides all of it, as far as the machine's timing allows.
final class ChaosRun {
    private let authority: ChaosAuthority
    private let plan: ChaosPlan
    private let store: ChaosStore
    private let configDirectory: URL
    private var random: SplitMix64
    private var processes: [ChaosProcess] = []
    private let clients: [ChaosClient]
    private let verbs: ChaosVerbs
    let output = ChaosOutput()
    private(set) var report = ChaosReport()
    private var runs = 0
    /// Puts the store's key back, and the step at which it does.
    private var lostKey: (restore: () -> Void, until: Int)?

    init(seed: UInt64, plan: ChaosPlan = ChaosPlan(), store: ChaosStore, directory: URL) throws {
        self.plan = plan
        random = SplitMix64(seed: seed)
        authority = try ChaosAuthority(seed: random.next(), uses: 150, plan: plan)
        self.store = store
        configDirectory = directory
        let (url, output) = (authority.url, output)
        clients = try (0..<2).map { try ChaosClient("lib\($0)", url: url, store: store, output: output) }
        let browser = directory.appendingPathComponent("browser")
        try Data("#!/bin/sh\nexec curl -s -L -o /dev/null \"$1\"\n".utf8).write(to: browser)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser.path)
        verbs = ChaosVerbs(
            output: output, limit: plan.commands, losesKeys: store.loseKey != nil, browser: browser.path)
        for number in 0..<plan.programs { processes.append(try start(number)) }
        logIn()
    }

    private func config(of name: String) throws -> String {
        let file = configDirectory.appendingPathComponent("\(name).json")
        let text = """
            {"profiles": {"p": {"origins": ["\(authority.url)"], "store": "\(store.location)",
             "refresh": {"url": "\(authority.url)/token", "client_id": "\(name)",
              "revoke_url": "\(authority.url)/revoke", "limit": 1000000},
             "login": {"authorization_url": "\(authority.url)/authorize"}}}}
            """
        // A program may be reading the earlier file of that name.
        try Data(text.utf8).write(to: file, options: .atomic)
        return file.path
    }

    /// Starts a program. Each run of a program has a name of its own at the authority.
    private func start(_ number: Int) throws -> ChaosProcess {
        runs += 1
        let name = "p\(number)r\(runs)"
        return try ChaosProcess(
            name, config: config(of: name), url: authority.url, expecting: store.expectedCodes, output: output)
    }

    var hasRefreshed: Bool { authority.withLedger { $0.counts.refreshes > 0 } }

    func step() throws {
        for process in processes {
            if !process.isRunning { report.faults.append("\(process.name) ended by itself") }
            process.feed(Int.random(in: 1...plan.batch, using: &random)) { $0 % 3 == 0 }
        }
        for client in clients {
            let count = Int.random(in: 0...8, using: &random)
            if client.running < 64 { client.send(count) }
        }
        try act()
        recordResources()
        report.steps += 1
    }

    private func act() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0...2: try killOne()
        case 20...24: loseKey()
        case 25 where plan.signsIn: report.kills += verbs.kill()
        case 3: logOut()
        case 4: if random.once(in: 2) { logIn() }
        case 5..<20: clients.randomElement(using: &random)?.cancelSome(&random)
        default: break
        }
        if let (restore, until) = lostKey, report.steps >= until {
            restore()
            lostKey = nil
        }
        let content = authority.withLedger { store.content($0) }
        switch content {
        case .credential: break
        case .nothing, .refused: if random.once(in: 5) { logIn() }
        case .corrupt: report.faults.append("the store is corrupt at step \(report.steps)")
        }
    }

    private func killOne() throws {
        let number = Int.random(in: processes.indices, using: &random)
        let process = processes[number]
        authority.withLedger { $0.recordKill(of: process.name) }
        process.kill()
        report.kills += 1
        report.add(process, wasKilled: true, authority)
        processes[number] = try start(number)
    }

    private func loseKey() {
        guard lostKey == nil, let restore = store.loseKey?() else { return }
        lostKey = (restore, report.steps + Int.random(in: 1...10, using: &random))
        report.lostKeys += 1
    }

    private func signIn() {
        guard !verbs.isBusy, let config = try? config(of: "cli") else { return }
        let isStepUp = random.once(in: 2)
        if isStepUp { report.stepUps += 1 }
        verbs.signIn(scope: isStepUp ? "more" : "some", isStepUp: isStepUp, config: config)
    }

    private func logIn() {
        if plan.signsIn, random.once(in: 2) { return signIn() }
        if random.once(in: 2), let client = clients.randomElement(using: &random) {
            client.login(authority.withLedger { $0.login() })
        } else if !verbs.isBusy, let config = try? config(of: "cli") {
            verbs.login(authority.withLedger { $0.login() }, config: config)
        }
    }

    private func logOut() {
        report.logouts += 1
        if random.once(in: 2), let client = clients.randomElement(using: &random) {
            client.logout()
        } else if !verbs.isBusy, let config = try? config(of: "cli") {
            verbs.logout(config: config)
        }
    }

    /// Records the resources of each process.
    private func recordResources() {
        guard report.steps % 10 == 0 else { return }
        for process in processes { report.programs.raise(to: ChaosResources(of: process.processIdentifier)) }
        report.ourselves.raise(to: ChaosResources(of: getpid()))
    }

    /// Lets all programs end by themselves, and counts their results.
    func finish() {
        lostKey?.restore()
        verbs.wait()
        for process in processes {
            if !process.finish(within: 90) { report.faults.append("\(process.name) did not end") }
            report.add(process, wasKilled: false, authority)
        }
        let deadline = Date() + 60
        while clients.contains(where: \.isBusy), Date() < deadline { usleep(1000) }
        for client in clients {
            report.add(client, authority)
            client.shutdown()
        }
        report.faults += verbs.faults
        authority.withLedger { ledger in
            report.counts = ledger.counts
            report.faults += ledger.faults
            report.tokens = ledger.secrets.count
            let leaks = output.leaks(of: ledger.secrets)
            if leaks > 0 { report.faults.append("\(leaks) pieces of tokens were said") }
        }
        if (authority.withLedger { store.content($0) }) == .corrupt {
            report.faults.append("the store is corrupt at the end")
        }
        if let stored = try? store.stored(), let token = stored["refresh_token"] as? String,
            authority.withLedger({ $0.isSpent(token) })
        {
            report.faults.append("the store has a refresh token whose successor was received and is lost")
        }
        report.serverFaults = authority.faults
        report.outputSize = output.size
        authority.close()
    }
}
