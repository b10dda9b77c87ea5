import FoundationEssentials
import FreshetCore
import FreshetHTTP

/// A file with an assertion that its owner replaces from time to time, such as a service account token of Kubernetes.
struct AssertionFile: Sendable {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Reads the file on `scheduler`, at each subscription.
    func assertion(on scheduler: any SchedulerType) -> Single<String> {
        scheduler.running(read)
    }

    private func read() throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the assertion in \(path) can't be read",
                recoverySuggestion: "check the file and its permissions", isUnsent: true)
        }
        let assertion = text.trimmed
        guard !assertion.isEmpty, assertion.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "\(path) contains no assertion",
                recoverySuggestion: "check the file", isUnsent: true)
        }
        return assertion
    }
}

extension String {
    fileprivate var trimmed: String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        let start = unicodeScalars.drop(while: isBlank)
        let end = start.reversed().drop(while: isBlank).count
        return String(String.UnicodeScalarView(start.prefix(end)))
    }
}
