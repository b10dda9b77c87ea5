import Foundation
import FreshetCore
import Glibc

/// Runs `freshet login` and `freshet logout` while the other programs run. The test can kill them at any moment.
final class ChaosVerbs: Sendable {
    private struct State {
        var lastNumber = 0
        /// The commands that run, and their processes once these have started.
        var running: [Int: pid_t?] = [:]
        var killed: Set<Int> = []
        var faults: [String] = []
    }

    private let output: ChaosOutput
    private let limit: Int
    private let environment: [String: String]
    /// Whether a command may fail because the store's key is lost.
    private let losesKeys: Bool
    private let group = DispatchGroup()
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: the largest number of commands at a time.
    ///   - browser: the program that opens an address.
    init(output: ChaosOutput, limit: Int, losesKeys: Bool, browser: String) {
        self.output = output
        self.limit = limit
        self.losesKeys = losesKeys
        environment = ["BROWSER": browser, "DISPLAY": ":9"]
    }

    var isBusy: Bool { state.withLock { $0.running.count >= limit } }
    var faults: [String] { state.withLock { $0.faults } }

    func wait() { group.wait() }

    func login(_ tokens: ChaosLedger.Tokens, config: String) {
        run(
            ["login", "--access-token", "-", "--refresh-token", "-"], config: config,
            input: "\(tokens.access)\n\(tokens.refresh)\n")
    }

    func signIn(scope: String, isStepUp: Bool, config: String) {
        run(
            ["login", "--browser", "--json", "--scope", scope] + (isStepUp ? ["--step-up"] : []), config: config)
    }

    func logout(config: String) {
        run(["logout"], config: config)
    }

    /// Kills the commands that run.
    ///
    /// - Returns: how many were killed.
    func kill() -> Int {
        state.withLock { state in
            let processes = state.running.compactMap { number, process in process.map { (number, $0) } }
            for (number, process) in processes {
                Glibc.kill(process, SIGKILL)
                state.killed.insert(number)
            }
            return processes.count
        }
    }

    private func run(_ arguments: [String], config: String, input: String = "") {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.running[state.lastNumber] = .some(nil)
            return state.lastNumber
        }
        DispatchQueue.global().async(group: group) { [self] in
            let result = Result {
                let run = try FreshetProcess(
                    arguments + ["--config", config, "--profile", "p"], environment: environment)
                let process = run.process.processIdentifier
                state.withLock { $0.running[number] = process }
                try? run.write(input)
                try run.input.fileHandleForWriting.close()
                return run.result()
            }
            let isKilled = state.withLock { state in
                state.running[number] = nil
                return state.killed.contains(number)
            }
            switch result {
            case .success(let result):
                output.add(result.output)
                output.add(result.errorOutput)
                let isKeyLost = losesKeys && result.errorOutput.contains("freshet: store: ")
                if result.status != 0, !isKilled, !isKeyLost {
                    record("freshet \(arguments[0]) ended with \(result.status): \(result.errorOutput)")
                }
            case .failure(let error):
                record("freshet \(arguments[0]): \(error)")
            }
        }
    }

    private func record(_ fault: String) {
        state.withLock { $0.faults.append(fault) }
    }
}
