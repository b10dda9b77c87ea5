import Foundation
import FreshetCore

/// Runs `freshet login` and `freshet logout`, one at a time, while the other programs run.
final class ChaosVerbs: Sendable {
    private let output: ChaosOutput
    private let group = DispatchGroup()
    private let state = Locked<(isBusy: Bool, faults: [String])>((false, []))

    init(output: ChaosOutput) {
        self.output = output
    }

    var isBusy: Bool { state.withLock { $0.isBusy } }
    var faults: [String] { state.withLock { $0.faults } }

    func wait() { group.wait() }

    func login(_ tokens: ChaosLedger.Tokens, config: String) {
        run(
            ["login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-"],
            input: "\(tokens.access)\n\(tokens.refresh)\n")
    }

    func logout(config: String) {
        run(["logout", "--config", config, "--profile", "p"], input: "")
    }

    private func run(_ arguments: [String], input: String) {
        state.withLock { $0.isBusy = true }
        DispatchQueue.global().async(group: group) { [self] in
            let result = Result {
                let run = try FreshetProcess(arguments)
                try run.write(input)
                try run.input.fileHandleForWriting.close()
                return run.result()
            }
            switch result {
            case .success(let result):
                output.add(result.output)
                output.add(result.complaints)
                if result.status != 0 {
                    record("freshet \(arguments[0]) ended with \(result.status): \(result.complaints)")
                }
            case .failure(let error):
                record("freshet \(arguments[0]): \(error)")
            }
            state.withLock { $0.isBusy = false }
        }
    }

    private func record(_ fault: String) {
        state.withLock { $0.faults.append(fault) }
    }
}
