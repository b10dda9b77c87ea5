import HTTPTypes

/// Decides which requests a route matches.
struct RoutePattern: Sendable, CustomStringConvertible {
    private let method: HTTPRequest.Method?
    private let path: String?
    private let segments: [Substring]?
    private let predicate: (@Sendable (RecordedRequest) -> Bool)?
    let description: String

    init(method: HTTPRequest.Method?, path: String?) {
        if let path, let problem = Self.problem(in: path) { preconditionFailure(problem) }
        self.method = method
        self.path = path
        segments = path.flatMap { $0.contains("*") ? Self.segments(of: $0) : nil }
        predicate = nil
        description = "\(method?.rawValue ?? "any method") \(path ?? "any path")"
    }

    init(name: String, predicate: @escaping @Sendable (RecordedRequest) -> Bool) {
        (method, path, segments) = (nil, nil, nil)
        self.predicate = predicate
        description = name
    }

    func matches(_ request: RecordedRequest) -> Bool {
        if let predicate { return predicate(request) }
        guard method == nil || method == request.method else { return false }
        if let segments { return Self.matches(segments[...], Self.segments(of: request.path)[...]) }
        return path == nil || path == request.path
    }

    /// Says what a path has that no pattern can match.
    static func problem(in path: String) -> String? {
        if path.contains("?") { return "the route \(path) has a query, which no path contains; use route(where:)" }
        // The target of an OPTIONS request can be a star, and that of a CONNECT request is a host with a port.
        let isHost = path.contains(":") && !path.contains("/")
        if !path.hasPrefix("/"), !path.hasPrefix("*"), !isHost {
            return "the route \(path) does not begin with a slash; write the path without the origin"
        }
        let segments = segments(of: path)
        for (index, segment) in segments.enumerated() where segment.contains("*") {
            if segment == "*" || segment == "**" && index == segments.count - 1 { continue }
            return "the route \(path) has \(segment): * is a whole segment, and ** the last one; use route(where:)"
        }
        return nil
    }

    private static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func matches(_ pattern: ArraySlice<Substring>, _ path: ArraySlice<Substring>) -> Bool {
        if pattern.count == 1, pattern.first == "**" { return true }
        guard pattern.count == path.count || pattern.last == "**" && path.count >= pattern.count else { return false }
        return zip(pattern, path).allSatisfy { $0 == $1 || $0 == "*" && !$1.isEmpty || $0 == "**" }
    }
}
