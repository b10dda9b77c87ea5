import Foundation
import XCTest

/// The calls of one transaction on the files of the store and its key, as `strace` reports them. It can fault each of them.
struct TracedTransaction {
    /// A call, and its number among the calls of the same name.
    struct Call: CustomStringConvertible {
        var name: String
        var number: Int
        /// The line of the trace.
        var line: String

        var description: String { "\(name) \(number): \(line)" }

        /// Whether the call can change a file or a lock.
        var isChanging: Bool {
            name == "openat"
                ? line.contains("O_CREAT")
                : ["pwrite64", "ftruncate", "fsync", "rename", "renameat", "unlink", "unlinkat", "flock"].contains(name)
        }
    }

    /// Not every machine has each of these calls.
    private static let names = [
        "openat", "read", "pwrite64", "ftruncate", "fsync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
        "fchmod",
        "fchown", "flock", "close", "mkdir", "mkdirat", "newfstatat", "fstat", "readlink", "readlinkat",
    ]

    let calls: [Call]

    /// Runs the program once and records its calls.
    ///
    /// - Returns: `nil` if the machine does not let a program be traced.
    init?(of session: TransactionTestCase.Session, in test: TransactionTestCase) throws {
        guard try Self.isAllowed() else {
            print("not checked: this machine does not let a program be traced")
            return nil
        }
        let log = try test.temporaryFile("", named: "trace")
        let ending = try test.transact(session, under: Self.tracer(of: session, log: log, []))
        XCTAssertEqual(ending, .well)
        var counts: [String: Int] = [:]
        var threads: Set<Substring> = []
        calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard let thread = line.split(separator: " ").first else { return nil }
            let call = line.dropFirst(thread.count).drop { $0 == " " }
            let name = String(call.prefix { $0 != "(" })
            guard Self.names.contains(name) else { return nil }
            threads.insert(thread)
            counts[name, default: 0] += 1
            return Call(name: name, number: counts[name] ?? 0, line: String(call))
        }
        XCTAssertEqual(threads.count, 1, "the tracer counts the calls of each thread")
    }

    /// The command line that runs the program and does `fault` to `call`.
    static func tracer(_ fault: String, at call: Call, of session: TransactionTestCase.Session) -> [String] {
        tracer(of: session, injecting: "\(call.name):\(fault):when=\(call.number)")
    }

    /// The command line that runs the program with a fault in the syntax of `strace`.
    static func tracer(of session: TransactionTestCase.Session, injecting fault: String) -> [String] {
        tracer(of: session, log: "/dev/null", ["-e", "inject=\(fault)"])
    }

    private static func tracer(
        of session: TransactionTestCase.Session, log: String, _ words: [String]
    ) -> [String] {
        let store = session.store
        let paths =
            [store.directory, store.path, store.path + ".lock", store.path + ".tmp"]
            + [store.keyFile].compactMap(\.self)
        return ["strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=" + names.map { "?" + $0 }.joined(separator: ",")]
            + paths.flatMap { ["-P", $0] } + words
    }

    static func isAllowed() throws -> Bool {
        func run(_ words: String...) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = words
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        guard try run("strace", "-V") == 0 else { throw XCTSkip("strace is not installed") }
        return try run("strace", "-f", "-o", "/dev/null", "true") == 0
    }
}
