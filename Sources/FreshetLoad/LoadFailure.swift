import Freshet

/// The failures of one kind in a load run.
public struct LoadFailure: Sendable {
    /// The error's code, or `status 503` and the like.
    public var kind: String
    /// How often it occurred.
    public var count = 1
    /// The message of the first failure of this kind. It contains no secret.
    public var example: String
}

extension LoadFailure {
    /// The failure of a run on a loop that has ended.
    static let loopHasEnded = LoadFailure(kind: "cancelled", example: "the loop of the run has been shut down")

    static func status(_ code: Int, to request: Request) -> LoadFailure {
        let url = "\(request.url.origin)\(request.url.path)"
        return LoadFailure(
            kind: "status \(code)", example: "the server responded with \(code) to \(request.method) \(url)")
    }
}

/// The failures of a load run, by their kinds.
struct LoadFailures: Sendable {
    private(set) var count = 0
    private var kinds: [String: LoadFailure] = [:]

    mutating func record(_ failure: LoadFailure) {
        count += failure.count
        kinds[failure.kind, default: LoadFailure(kind: failure.kind, count: 0, example: failure.example)].count +=
            failure.count
    }

    mutating func merge(_ other: LoadFailures) {
        for failure in other.kinds.values { record(failure) }
    }

    /// The most frequent kind first.
    var byFrequency: [LoadFailure] {
        kinds.values.sorted { ($0.count, $1.kind) > ($1.count, $0.kind) }
    }
}
