import Dispatch
import Foundation
import FreshetAuth
import FreshetCore
import FreshetLoop
import StoreKinds
import XCTest

@testable import FreshetSignIn

final class HelperProcessTests: XCTestCase {
    private func run(_ script: String, _ input: [UInt8]) throws -> HelperProcess.Result {
        let helper = try TestHelper(script)
        helper.install()
        defer { helper.remove() }
        return try HelperProcess.run("docker-credential-\(helper.name)", "get", input: input)
    }

    /// The input is longer than the buffer of a socket.
    private let long = [UInt8](repeating: UInt8(ascii: "x"), count: 900_000)

    func testALongInputAndALongOutputAreTransferred() throws {
        let result = try run("exec cat", long)
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.output, long)
    }

    func testTheOutputOfAHelperThatIgnoresItsInputIsRead() throws {
        let result = try run("echo no; exit 3", long)
        XCTAssertEqual(result.status, 3)
        XCTAssertEqual(result.output, Array("no\n".utf8))
    }

    func testASignalToTheProgramDoesNotEndTheHelper() throws {
        let handler = signal(SIGUSR1) { _ in }
        defer { signal(SIGUSR1, handler) }
        let result = try run("cat > /dev/null; kill -USR1 $PPID; echo well", [])
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.output, Array("well\n".utf8))
    }

    /// Threads of Dispatch block nearly all signals, and the loop ignores `SIGPIPE`.
    func testAHelperStartsWithoutBlockedSignalsAndWithoutAnIgnoredSIGPIPE() throws {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        let handler = signal(SIGPIPE, SIG_IGN)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer {
            pthread_sigmask(SIG_SETMASK, &before, nil)
            signal(SIGPIPE, handler)
        }
        // Not from a shell, because some shells unblock signals themselves.
        let result = try HelperProcess.run("cat", "/proc/self/status", input: [])
        let words = String(decoding: result.output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        func signals(_ name: String) -> UInt? {
            words.firstIndex(of: "\(name):").flatMap { UInt(words[$0 + 1], radix: 16) }
        }
        XCTAssertEqual(signals("SigBlk"), 0)
        XCTAssertEqual(signals("SigIgn").map { $0 & 1 << (SIGPIPE - 1) }, 0)
    }

    func testAKilledHelperAndAMissingHelperAreErrors() throws {
        XCTAssertEqual(try run("kill -9 $$", []).status, 128 + SIGKILL)
        XCTAssertThrowsError(try HelperProcess.run("docker-credential-none", "get", input: [])) { error in
            XCTAssertTrue(error is StoreError, "\(error)")
        }
    }

    func testAHelperThatRunsAfterItsOutputIsStoppedAtTheLimit() throws {
        let helper = try TestHelper("exec >&- 2>&-; exec sleep 1000")
        helper.install()
        defer { helper.remove() }
        XCTAssertThrowsError(
            try HelperProcess.run("docker-credential-\(helper.name)", "get", input: [], timeout: .milliseconds(200))
        ) { error in
            XCTAssertTrue("\(error)".contains("did not end"), "\(error)")
        }
    }

    func testAHelperThatWritesTooMuchIsNotBlamedForBeingSlow() throws {
        XCTAssertThrowsError(try run("head -c 3000000 /dev/zero", [])) { error in
            XCTAssertTrue("\(error)".contains("has written more than 1 MiB"), "\(error)")
        }
    }

    /// The end of the process waited for a minute.
    func testTheShutdownOfALoopEndsAHelperThatDoesNotAnswer() throws {
        for script in ["exec sleep 30", "exec >&- 2>&-; exec sleep 30"] {
            let helper = try TestHelper(script)
            helper.install()
            defer { helper.remove() }
            let (loop, begun, outcome) = (try Loop(), DispatchSemaphore(value: 0), Locked<(any Error)?>(nil))
            _ = BlockingScheduler(on: loop).schedule(()) {
                begun.signal()
                do {
                    _ = try HelperProcess.run("docker-credential-\(helper.name)", "get", input: [])
                } catch {
                    outcome.withLock { $0 = error }
                }
                return Disposables.create()
            }
            begun.wait()
            let time = ContinuousClock().measure { loop.shutdown() }
            XCTAssertLessThan(time, .seconds(10))
            let error = outcome.withLock { $0 }
            XCTAssertTrue(error is StoreError && "\(error!)".contains("was ended"), "\(String(describing: error))")
        }
    }

    /// Runs `work` as blocking work of a loop that is shut down when `isDue` is true.
    private func shutDown(when isDue: () -> Bool, during work: @escaping @Sendable () throws -> Void) throws {
        let (loop, begun, outcome) = (try Loop(), DispatchSemaphore(value: 0), Locked<Result<Void, any Error>?>(nil))
        _ = BlockingScheduler(on: loop).schedule(()) {
            begun.signal()
            let result = Result { try work() }
            outcome.withLock { $0 = result }
            return Disposables.create()
        }
        begun.wait()
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while !isDue(), ContinuousClock.now < end { sched_yield() }
        loop.shutdown()
        try outcome.withLock { $0 }?.get()
    }

    /// The refresh token that the new one replaces is spent, so the record must reach the helper.
    func testTheShutdownOfALoopLetsAHelperKeepARecord() throws {
        let helper = try TestHelper(
            "case $1 in store) sleep 0.3; cat > \"$0.secret\" ;; get) cat > /dev/null; sleep 0.1; cat \"$0.secret\" ;; esac"
        )
        helper.install()
        defer { helper.remove() }
        let coding = try HelperCoding(helper: helper.name, server: "s")
        let record = StoredCredential(credential: Credential(accessToken: "a"), version: 2)
        try shutDown(when: { true }) { _ = try coding.encode(record) }
        XCTAssertEqual(try coding.decodeMissing().version, 2)
    }

    /// Each call of the helper had 5 s of its own.
    func testTheCallsOfAWriteShareTheTimeThatTheShutdownOfALoopWaits() throws {
        let helper = try TestHelper(
            #"""
            case $1 in
            store) cat > "$0.secret"; sleep 3 ;;
            get) test -f "$0.secret" && exec sleep 30; echo "credentials not found in native keychain"; exit 1 ;;
            esac
            """#)
        helper.install()
        defer { helper.remove() }
        let coding = try HelperCoding(helper: helper.name, server: "s")
        let record = StoredCredential(credential: Credential(accessToken: "a"), version: 2)
        let (begun, secret) = (ContinuousClock.now, helper.secret)
        try shutDown(when: { access(secret, F_OK) == 0 }) { _ = try coding.encode(record) }
        XCTAssertLessThan(begun.duration(to: .now), .seconds(7.5))
    }

    func testTheShutdownOfALoopLetsAHelperEndThatHasClosedItsOutput() throws {
        let helper = try TestHelper(
            "cat > /dev/null; echo well; exec >&- 2>&-; sleep 0.1; echo > \"$0.secret\"; exec sleep 0.3")
        helper.install()
        defer { helper.remove() }
        let (name, secret) = (helper.name, helper.secret)
        try shutDown(when: { access(secret, F_OK) == 0 }) {
            let result = try HelperProcess.run("docker-credential-\(name)", "get", input: [])
            XCTAssertEqual(result.output, Array("well\n".utf8))
        }
    }

    /// Some programs ignore the ends of their children, and the system then keeps no status.
    func testAHelperOfAProgramThatIgnoresItsChildrenIsUsed() throws {
        let handler = signal(SIGCHLD, SIG_IGN)
        defer { signal(SIGCHLD, handler) }
        let result = try run("cat > /dev/null; echo well", [])
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.output, Array("well\n".utf8))
    }

    func testAHelperInheritsNoSocketThatIsMadeForAnotherHelperMeanwhile() throws {
        let helper = try TestHelper("cat > /dev/null; ls -l /proc/$$/fd | grep -c socket:")
        helper.install()
        defer { helper.remove() }
        func count() throws -> [UInt8] {
            try HelperProcess.run("docker-credential-\(helper.name)", "get", input: []).output
        }
        let alone = try count()
        let (isOver, ended) = (Locked(false), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                guard let pair = try? HelperProcess.sockets() else { continue }
                for end in [pair.ours, pair.theirs] { close(end) }
            }
            ended.signal()
        }
        defer {
            isOver.withLock { $0 = true }
            ended.wait()
        }
        for _ in 0..<50 { XCTAssertEqual(try count(), alone) }
    }
}

extension HelperProcess {
    fileprivate static func run(
        _ command: String, _ argument: String, input: [UInt8], timeout: Duration = .seconds(60)
    ) throws -> Result {
        var deadline = Deadline(in: timeout, whenAwaited: .zero)
        return try run(command, argument, input: input, until: &deadline)
    }
}
