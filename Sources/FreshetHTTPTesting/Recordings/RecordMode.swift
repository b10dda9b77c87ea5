import FoundationEssentials
import FreshetHTTP
import FreshetLayers

/// Which requests of a test are sent and recorded. Source: the record modes of vcr and vcrpy.
public enum RecordMode: String, Sendable, Hashable, CaseIterable {
    /// Responds from the file, and never sends.
    case none
    /// Responds from the file if there is one. Else sends all requests, and writes the file.
    case once
    /// Responds from the file, sends the requests that it does not have, and adds them.
    case new
    /// Sends all requests, and writes the file anew.
    case all

    /// The variable of the environment that replaces the mode of all tests of a run: the name of a mode, or `1` for `all`.
    public static let environmentVariable = "FRESHET_RECORD"

    /// Returns the mode that `value`, if there is one, puts in the place of this one.
    ///
    /// - Throws: `HTTPClientError` with code `invalidRequest` for a value that is no mode.
    func replaced(by value: String?) throws -> RecordMode {
        guard let value, !value.isEmpty else { return self }
        if value == "1" { return .all }
        if let mode = RecordMode(rawValue: value) { return mode }
        throw HTTPClientError(
            .invalidRequest, phase: .preparing, message: "\(Self.environmentVariable) is \(value), which is no mode",
            recoverySuggestion: "set it to none, once, new, all or 1", isUnsent: true)
    }

    /// Whether a client records into a file that another client is recording into.
    var sharesRecording: Bool { self == .once || self == .all }

    /// What the recording of the file at `path` does.
    func recording(at path: String) -> HTTPRecording.Mode {
        switch self {
        case .none: .replay
        case .once: FileManager.default.fileExists(atPath: path) ? .replay : .record
        case .new: .replayOrRecord
        case .all: .record
        }
    }
}
