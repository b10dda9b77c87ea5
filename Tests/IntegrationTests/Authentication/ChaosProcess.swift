import Foundation
import FreshetCore
import Glibc

/// A `freshet run` that gets requests line by line, and that the test can kill at any moment.
final class ChaosProcess: @unchecked Sendable {
    /// The client's name at the authority. Each run of each program has its own.
    let name: String
    private let run: FreshetProcess
    private let url: String
    private let reading = DispatchGroup()
    private let lines = Locked(Lines())

    fileprivate struct Lines {
        /// The requests that were written and have no response yet.
        var open: Set<String> = []
        var written = 0
        var succeeded: [String] = []
        var codes: [String: Int] = [:]
        var faults: [String] = []
    }

    init(_ name: String, config: String, url: String, expecting codes: Set<String>, output: ChaosOutput) throws {
        self.name = name
        self.url = url
        run = try FreshetProcess(
            ["run", "--config", config, "--profile", "p", "--concurrency", "16", "--timeout", "20"])
        let run = run
        let lines = lines
        read(run.output) { [name] line in
            output.add(line)
            lines.withLock { $0.record(line, of: name, expecting: codes) }
        }
        read(run.errors) { output.add($0) }
    }

    private func read(_ pipe: Pipe, _ body: @escaping @Sendable (Data) -> Void) {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        reading.enter()
        Thread.detachNewThread { [reading] in
            var rest = Data()
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    body(rest[rest.startIndex..<end])
                    rest = rest[rest.index(after: end)...]
                }
            }
            // The rest is dropped: a killed program can leave half a line, which is not a response.
            reading.leave()
        }
    }

    var processIdentifier: Int32 { run.process.processIdentifier }
    var isRunning: Bool { run.process.isRunning }

    /// Writes `count` requests, unless 48 or more have no response yet.
    func feed(_ count: Int, posting isPost: (Int) -> Bool) {
        let text = lines.withLock { lines -> String in
            guard lines.open.count < 48 else { return "" }
            var text = ""
            for _ in 0..<count {
                lines.written += 1
                let id = "/\(name)/\(lines.written)"
                lines.open.insert(id)
                let method = isPost(lines.written) ? #""method": "POST", "body": "x", "# : ""
                text += "{\(method)\"id\": \"\(id)\", \"url\": \"\(url)\(id)\"}\n"
            }
            return text
        }
        try? run.write(text)
    }

    func kill() {
        Glibc.kill(processIdentifier, SIGKILL)
        run.process.waitUntilExit()
        reading.wait()
    }

    /// Closes the input and waits for the last response.
    ///
    /// - Returns: whether the program ended by itself with status 0 or 1.
    func finish(within seconds: Double) -> Bool {
        try? run.input.fileHandleForWriting.close()
        guard reading.wait(timeout: .now() + seconds) == .success else {
            kill()
            return false
        }
        run.process.waitUntilExit()
        return run.process.terminationReason == .exit && [0, 1].contains(run.process.terminationStatus)
    }

    var written: Int { lines.withLock { $0.written } }
    /// The requests that have no response.
    var open: Set<String> { lines.withLock { $0.open } }
    var succeeded: [String] { lines.withLock { $0.succeeded } }
    var codes: [String: Int] { lines.withLock { $0.codes } }
    var faults: [String] { lines.withLock { $0.faults } }
}

extension ChaosProcess.Lines {
    mutating func record(_ line: Data, of name: String, expecting expectedCodes: Set<String>) {
        guard let response = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
            let id = response["id"] as? String
        else { return faults.append("\(name) wrote a line that is no response") }
        guard open.remove(id) != nil else { return faults.append("\(id) was answered twice, or never asked") }
        if let error = response["error"] as? [String: String] {
            let code = error["code"] ?? ""
            codes[code, default: 0] += 1
            if !expectedCodes.contains(code) { faults.append("\(id): \(code): \(error["message"] ?? "")") }
        } else if response["status"] as? Int == 200, response["body"] as? String == "{\"path\":\"\(id)\"}" {
            succeeded.append(id)
        } else {
            faults.append("\(id) was given status \(response["status"] ?? "none"), or what is another's")
        }
    }
}
