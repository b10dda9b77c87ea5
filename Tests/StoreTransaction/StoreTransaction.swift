import Foundation
import Freshet
import FreshetAuth

/// One refresh of the credential in a file, by a program that can be told where to die: `StoreTransaction FILE TOKEN-URL
/// [STEP]`. A line tells what came of each of two requests for a new credential: `ok`, or the code of the error.
@main
struct StoreTransaction {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { fatalError("usage: StoreTransaction FILE TOKEN-URL [STEP]") }
        let last = arguments.dropFirst(3).first
        let reach: @Sendable (String) -> Void = { step in
            if step == last { kill(getpid(), SIGKILL) }
        }

        let runtime = try FreshetRuntime()
        let files = SerialScheduler(over: BlockingScheduler(on: runtime.loop))
        let store = FileStore(path: arguments[1], scheduler: files, onStep: { reach($0.rawValue) })
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(arguments[2]), clientID: "child", client: runtime.refreshClient)
        let gate = RefreshGate(store: store, scheduler: runtime.scheduler) { credential in
            reach("asked")
            return authenticator.refresh(credential).do(onSuccess: { _ in reach("answered") })
        }
        let first = await outcome { try await gate.credential().value.generation }
        var spent: Int?
        if case .success(let generation) = first { spent = generation }
        // A record that could not be written is written at the next request, and not asked for again.
        for generation in [spent, nil] {
            let result = await outcome { try await gate.credential(replacing: generation).value }
            switch result {
            case .success: print("ok")
            case .failure(let error): print((error as? HTTPClientError)?.code.rawValue ?? "\(error)")
            }
        }
        // The lock is given back where the files are, and not by whoever lets go of it last.
        try await Observable.just((), scheduler: files).asSingle().value
        runtime.shutdown()
    }

    private static func outcome<Value: Sendable>(_ work: @Sendable () async throws -> Value) async -> Result<
        Value, any Error
    > {
        do {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
