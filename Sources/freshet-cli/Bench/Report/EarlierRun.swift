import Freshet

/// A run that was made before, as its `--json` line tells of it.
struct EarlierRun: Sendable {
    var name: String
    /// Those that it tells of, by their keys.
    var values: [String: Double]

    /// Those of a file, a line each.
    ///
    /// - Parameter figures: what is compared; a line has at least the first of them.
    /// - Throws: `HTTPClientError` with code `invalidRequest`, which names the file and the line.
    static func all(in path: String, _ figures: [ComparedFigure]) throws -> [EarlierRun] {
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
                    return try EarlierRun(JSONValue(parsing: Array(line)), figures)
                } catch {
                    let reason = (error as? JSONError)?.message ?? "\(error)"
                    throw refusal("line \(number + 1) of \(path) is no line of `freshet bench --json`: \(reason)")
                }
            }
    }

    private init(_ line: JSONValue, _ figures: [ComparedFigure]) throws {
        guard case .object(let members) = line else { throw JSONError(message: "it is no object", offset: 0) }
        guard case .string(let name)? = members["name"] else { throw JSONError(message: "it has no name", offset: 0) }
        self.name = name
        values = [:]
        for figure in figures {
            if case .number(let number)? = members[figure.key], number.isFinite, number >= 0 {
                values[figure.key] = number
            }
        }
        if let first = figures.first, values[first.key] == nil {
            throw JSONError(message: "it has no \(first.key)", offset: 0)
        }
    }

    private static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: "name another with --compare",
            isUnsent: true)
    }
}
