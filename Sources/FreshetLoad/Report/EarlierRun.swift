import Foundation
import Freshet

/// The figures of an earlier run, as a line of `freshet bench --json` contains them.
public struct EarlierRun: Sendable {
    var name: String
    /// The figures in the line, by their keys.
    var values: [String: Double]

    /// Reads one run from each line of `bytes` that is not blank. A file can have runs of both kinds, of which those of the other
    /// kind are left out.
    ///
    /// - Parameters:
    ///   - path: the file that an error names.
    ///   - figures: the figures that are compared. Each line of this kind must have the first of them.
    /// - Throws: `HTTPClientError` with code `invalidRequest` for a malformed line, whose number it names, and if all runs are of
    ///   the other kind.
    public static func all(in bytes: [UInt8], from path: String, _ figures: [ComparedFigure]) throws -> [EarlierRun] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var others = 0
        let runs = try lines.enumerated().compactMap { index, line -> EarlierRun? in
            guard line.contains(where: { $0 > 0x20 }) else { return nil }
            do throws(Malformed) {
                return try EarlierRun(line: Data(line), figures)
            } catch  where error.isOtherKind {
                others += 1
                return nil
            } catch {
                throw HTTPClientError(
                    .invalidRequest, phase: .preparing,
                    message: "line \(index + 1) of \(path) is no line of `freshet bench --json`: \(error.reason)",
                    recoverySuggestion: "name another with --compare", isUnsent: true)
            }
        }
        guard others == 0 || !runs.isEmpty else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "\(path) has no run to compare: runs with and without --streams have different figures",
                recoverySuggestion: "name another with --compare", isUnsent: true)
        }
        return runs
    }

    private struct Malformed: Error {
        let reason: String
        var isOtherKind = false
    }

    /// A member of the line. `JSONSerialization` would give true as 1.
    private enum Member: Decodable {
        case number(Double)
        case text(String)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .other
            }
        }
    }

    private init(line: Data, _ figures: [ComparedFigure]) throws(Malformed) {
        let members: [String: Member]
        do {
            members = try JSONDecoder().decode([String: Member].self, from: line)
        } catch DecodingError.dataCorrupted {
            throw Malformed(reason: "it is no JSON")
        } catch {
            throw Malformed(reason: "it is no object")
        }
        guard case .text(let name)? = members["name"] else { throw Malformed(reason: "it has no name") }
        self.name = name
        values = [:]
        for figure in figures {
            if case .number(let number)? = members[figure.key], number.isFinite, number >= 0 {
                values[figure.key] = number
            }
        }
        if let first = figures.first, values[first.key] == nil {
            let kinds = [ComparedFigure.load, ComparedFigure.streams].compactMap(\.first)
            let isOtherKind = kinds.contains { $0.key != first.key && members[$0.key] != nil }
            throw Malformed(reason: "it has no \(first.key)", isOtherKind: isOtherKind)
        }
    }
}
