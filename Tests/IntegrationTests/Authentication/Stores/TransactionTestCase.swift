import Foundation
import FreshetCore
import FreshetHTTPTesting
import XCTest

/// Runs the program `StoreTransaction`, which refreshes the credential in a store. Its server accepts each refresh token once.
class TransactionTestCase: ProfileTestCase {
    /// The result of a run: the outcomes of its two requests, and its exit status. A negative status is a signal.
    struct Ending: Equatable, CustomStringConvertible {
        var outcomes: [String] = []
        var status: Int32 = 0
        var errorOutput = ""

        static let well = Ending(outcomes: ["ok", "ok"])
        static let loggedOut = Ending(outcomes: ["login_required", "login_required"])
        static let killed = Ending(status: -SIGKILL)

        var description: String { "\(outcomes) \(status) \(errorOutput)" }
    }

    /// A store with a session of a server, which `login` has stored.
    struct Session {
        let server: TokenServer
        let config: String
        var store: StoreSite
    }

    /// - Parameter empty: the store; by default a new one.
    func session(_ kind: StoreKind = .file, in empty: StoreSite? = nil) throws -> Session {
        let server = try tokenServer()
        let store = try empty ?? StoreSite(kind, in: self)
        let config = try profile(server, store: store.location)
        let session = Session(server: server, config: config, store: store)
        try logIn(session)
        return session
    }

    private func logIn(_ session: Session) throws {
        try logIn(to: session.server, session.config, environment: session.store.environment)
    }

    /// - Parameters:
    ///   - step: the step at which the program kills itself.
    ///   - tracer: the words of a command that runs the program.
    func transact(_ session: Session, until step: String? = nil, under tracer: [String] = []) throws -> Ending {
        try Transaction(session, until: step, under: tracer).ending()
    }

    /// Runs `check` for each of `cases` with a session of its own, on all cores, because a check mostly waits for programs.
    ///
    /// - Returns: the results in the order of `cases`.
    @discardableResult
    func concurrently<Case, Value>(
        _ cases: [Case], on kind: StoreKind = .file, _ check: (Case, Session) throws -> Value
    ) throws -> [Value] {
        let sessions = try cases.map { _ in try session(kind) }
        let results = Locked<[Int: Result<Value, any Error>]>([:])
        withoutActuallyEscaping(check) { check in
            nonisolated(unsafe) let run = { index in Result { try check(cases[index], sessions[index]) } }
            DispatchQueue.concurrentPerform(iterations: cases.count) { index in
                let result = run(index)
                results.withLock { $0[index] = result }
            }
        }
        return try results.withLock { results in try cases.indices.map { try results[$0]!.get() } }
    }

    /// The content of the store after a program was killed: the pair from before the refresh, the same pair with its refresh
    /// token spent, or the pair from after the refresh.
    enum Recovery: Int, Comparable {
        case old, spent, new

        static func < (one: Recovery, other: Recovery) -> Bool { one.rawValue < other.rawValue }
    }

    /// Runs another program on the store of a killed one. It finds the old pair or the new one. If the old refresh token is
    /// spent, it requires a login.
    func recovery(of session: Session, after point: String) throws -> Recovery {
        let refreshesBefore = session.server.counts.refreshes
        let stored = try session.store.record()
        XCTAssertNotNil(stored["refresh_token"], point)
        // The temporary file is among them. The plain store's file shows that the search would find a token.
        XCTAssertEqual(try session.store.filesWithATokenInThem().isEmpty, session.store.kind.isSecret, point)
        let isOld = stored["version"] as? Int == 1
        let next = try transact(session)
        let recovery: Recovery = isOld ? (refreshesBefore == 0 ? .old : .spent) : .new
        XCTAssertEqual(next, recovery == .spent ? .loggedOut : .well, point)
        XCTAssertEqual(session.server.counts.reuses, recovery == .spent ? 1 : 0, point)
        XCTAssertEqual(session.server.counts.refreshes, recovery == .new ? 2 : 1, point)
        XCTAssertEqual(try session.store.files, [session.store.name, session.store.name + ".lock"], point)
        if recovery == .spent {
            XCTAssertEqual(try session.store.record()["login_required"] as? Bool, true, point)
            try logIn(session)
            XCTAssertEqual(try transact(session), .well, point)
        }
        return recovery
    }
}

/// A run of the program.
struct Transaction {
    private let process = Process()
    private let output = Pipe()
    private let errorOutput = Pipe()

    init(_ session: TransactionTestCase.Session, until step: String? = nil, under tracer: [String] = []) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("StoreTransaction").path
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            tracer + [program, session.store.location, session.server.tokenURL] + (step.map { [$0] } ?? [])
        // The program has one thread for calls on files, so that a tracer counts the same calls in each run.
        var environment = ProcessInfo.processInfo.environment.merging(session.store.environment) { $1 }
        environment["UV_THREADPOOL_SIZE"] = "1"
        // The address sanitizer's search for leaks needs to be the tracer itself.
        if !tracer.isEmpty { environment["ASAN_OPTIONS", default: ""] += ":detect_leaks=0" }
        process.environment = environment
        process.standardOutput = output
        process.standardError = errorOutput
        try process.run()
    }

    func ending() -> TransactionTestCase.Ending {
        let outcomes = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorOutput = String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return TransactionTestCase.Ending(
            outcomes: outcomes.split(separator: "\n").map(String.init),
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            errorOutput: errorOutput)
    }
}
