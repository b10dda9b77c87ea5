import Foundation
import Freshet
import FreshetAuth
import FreshetSignIn

/// Runs `StoreTransaction STORE TOKEN-URL [STEP]`, which refreshes the credential in a store once and can die at a given step.
/// `STORE` is the store as the profile `p` names it. The program prints a line for each of two requests for a new credential:
/// `ok`, or the code of the error.
@main
struct StoreTransaction {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { fatalError("usage: StoreTransaction STORE TOKEN-URL [STEP]") }
        let last = arguments.dropFirst(3).first
        let reach: @Sendable (String) -> Void = { step in
            if step == last { kill(getpid(), SIGKILL) }
        }

        let runtime = try FreshetRuntime()
        let files = SerialScheduler(over: BlockingScheduler(on: runtime.loop))
        let store = try store(arguments[1], scheduler: files).observingSteps { reach($0.rawValue) }
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(arguments[2]), clientID: "child", client: runtime.refreshClient)
        let gate = RefreshGate(store: store, scheduler: runtime.scheduler) { credential in
            reach("asked")
            return authenticator.refresh(credential).do(onSuccess: { _ in reach("answered") })
        }
        let first = await outcome { try await gate.credential().value.generation }
        var spent: Int?
        if case .success(let generation) = first { spent = generation }
        // The next request writes a record that could not be written, and does not refresh again.
        for generation in [spent, nil] {
            let result = await outcome { try await gate.credential(replacing: generation).value }
            switch result {
            case .success: print("ok")
            case .failure(let error): print((error as? HTTPClientError)?.code.rawValue ?? "\(error)")
            }
        }
        // The lock is released on the scheduler of the files, whichever thread drops it last, so the program waits for that
        // scheduler.
        try await Observable.just((), scheduler: files).asSingle().value
        runtime.shutdown()
    }

    private static func store(_ location: String, scheduler: any SchedulerType) throws -> FileStore {
        let environment = ProcessInfo.processInfo.environment
        let directory = "\(environment["XDG_STATE_HOME"] ?? "")/freshet"
        let (kind, rest) = parts(of: location, around: ":")
        switch kind {
        case "file": return FileStore(path: rest, scheduler: scheduler)
        case "sealed":
            let (path, key) = parts(of: rest, around: "?key=")
            return FileStore.sealed(path: path, key: try Self.key(key, environment), scheduler: scheduler)
        case "keyring":
            return FileStore.keyring(rest, path: "\(directory)/keyring-\(rest).sealed", scheduler: scheduler)
        case "helper":
            let name = parts(of: rest, around: "docker-credential-").1
            return try FileStore.helper(
                name, server: "https://freshet.invalid/p", path: "\(directory)/helper-\(name)-p", scheduler: scheduler)
        default: fatalError("no kind of store: \(location)")
        }
    }

    private static func key(_ name: String, _ environment: [String: String]) throws -> any SealingKey {
        let (kind, rest) = parts(of: name, around: ":")
        switch kind {
        case "file": return FileSealingKey(path: rest)
        case "credential": return try FileSealingKey(credential: rest, environment: environment)
        default: return KeyringSealingKey(name: rest)
        }
    }

    private static func parts(of text: String, around separator: String) -> (String, String) {
        guard let separatorRange = text.range(of: separator) else { return (text, "") }
        return (String(text[..<separatorRange.lowerBound]), String(text[separatorRange.upperBound...]))
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
