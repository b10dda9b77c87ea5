import Freshet

/// A run that was made before, as its `--json` line tells of it.
struct EarlierRun: Sendable {
    var name: String
    var requestsPerSecond: Double
    /// Microseconds of CPU time.
    var cpuPerRequest: Double?
    /// Microseconds.
    var p99: Double?

    /// Those of a file, a line each.
    ///
    /// - Throws: `HTTPClientError` with code `invalidRequest`, which names the file and the line.
    static func all(in path: String) throws -> [EarlierRun] {
        let bytes: [UInt8]
        do {
            bytes = try readAll(from: path)
        } catch {
            throw refusal("the file \(path) can't be read: \(error)")
        }
        return try bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .compactMap { number, line in
                guard line.contains(where: { $0 > 0x20 }) else { return nil }
                do {
                    return try EarlierRun(JSONValue(parsing: Array(line)))
                } catch {
                    let reason = (error as? JSONError)?.message ?? "\(error)"
                    throw refusal("line \(number + 1) of \(path) is no line of `freshet bench --json`: \(reason)")
                }
            }
    }

    private init(_ line: JSONValue) throws {
        guard case .object(let members) = line else { throw JSONError(message: "it is no object", offset: 0) }
        func number(_ name: String) -> Double? {
            if case .number(let number)? = members[name], number.isFinite, number >= 0 { number } else { nil }
        }
        guard case .string(let name)? = members["name"] else { throw JSONError(message: "it has no name", offset: 0) }
        guard let rate = number("rps") else { throw JSONError(message: "it has no rps", offset: 0) }
        self.name = name
        requestsPerSecond = rate
        cpuPerRequest = number("cpu_us_per_request")
        p99 = number("p99_us")
    }

    private static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, phase: .preparing, message: message, isUnsent: true)
    }
}
