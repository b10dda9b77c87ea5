import HTTPTypes

/// Decides about a response whose body goes into a file. It is a value, without a file and without a stream.
struct DownloadPlan: Sendable {
    /// The point at which an earlier transfer ended.
    struct Point: Hashable, Sendable {
        var offset: Int
        var record: DownloadRecord
    }

    enum Decision {
        /// The body is written from this offset on, and may not go beyond `limit`. At 0, the earlier bytes are dropped.
        case write(at: Int, limit: Int = .max, total: Int?, record: DownloadRecord?)
        /// The file is complete already, with this size.
        case complete(size: Int)
        /// The earlier bytes belong to something else, so the whole is requested.
        case startAnew
        case refuse(HTTPClientError)
    }

    /// The statuses whose bodies are written.
    var statusCodes: Range<Int>
    /// Whether a range may be requested later. Then no content coding may come between the bytes of the server and those of the
    /// file.
    var isResumable: Bool

    /// Returns `request` with the fields that ask for the bytes after `point`.
    func request(_ request: Request, from point: Point?) -> Request {
        guard isResumable else { return request }
        var request = request
        request.headers[.acceptEncoding] = "identity"
        if let point {
            request.headers[.range] = "bytes=\(point.offset)-"
            request.headers[.ifRange] = point.record.validator.field
        }
        return request
    }

    /// - Parameter part: the path of the part, if it is kept when the download fails.
    func decision(
        about head: HTTPResponse, from url: RequestURL, to request: Request, point: Point?, part path: String?
    ) -> Decision {
        let code = head.status.code
        if let point {
            switch code {
            case 206: return part(head, from: url, point)
            case 416:
                let range = head.headerFields[.contentRange].flatMap(ContentRange.init)
                return range?.bytes == nil && range?.total == point.offset && point.record.agrees(with: head)
                    && point.record.total ?? point.offset == point.offset ? .complete(size: point.offset) : .startAnew
            default: break
            }
        }
        // A 304 has no body that could be written.
        guard statusCodes.contains(code), code != 304, !isResumable || (200..<300).contains(code) else {
            let kept = point.flatMap { point in
                path.map { "the part of \(point.offset) bytes is kept in \($0)" }
            }
            return .refuse(
                failure(
                    .status, url, "the server responded with \(head.status), and \(kept ?? "nothing was written")", nil,
                    head))
        }
        if code == 206, !request.headers.contains(.range) {
            return .refuse(failure(.protocol, url, "the server sent a part instead of the whole body", .tryAgain, head))
        }
        guard isResumable else { return .write(at: 0, total: Self.length(head, request), record: nil) }
        if let refusal = refusalOfCoding(head, url) { return .refuse(refusal) }
        return .write(at: 0, total: Self.length(head, request), record: DownloadRecord(head, at: request.url))
    }

    private func part(_ head: HTTPResponse, from url: RequestURL, _ point: Point) -> Decision {
        guard let range = head.headerFields[.contentRange].flatMap(ContentRange.init), let bytes = range.bytes,
            bytes.lowerBound == point.offset, point.record.agrees(with: head),
            range.total == nil || point.record.total == nil || range.total == point.record.total,
            // A part may be shorter than the rest, which shows only beside a total. Source: RFC 9110 section 15.3.7.
            let total = point.record.total ?? range.total, bytes.upperBound < total,
            head.headerFields[.contentLength].map({ Int(digits: $0) == bytes.count }) ?? true
        else { return .startAnew }
        if let refusal = refusalOfCoding(head, url) { return .refuse(refusal) }
        var record = point.record
        record.total = total
        return .write(at: point.offset, limit: bytes.upperBound + 1, total: total, record: record)
    }

    private func refusalOfCoding(_ head: HTTPResponse, _ url: RequestURL) -> HTTPClientError? {
        guard let coding = head.headerFields[.contentEncoding], coding.lowercased() != "identity" else { return nil }
        return failure(
            .decoding, url, "the server sent a compressed body unasked", "download it without resuming", head)
    }

    private func failure(
        _ code: HTTPClientError.Code, _ url: RequestURL, _ message: String,
        _ recoverySuggestion: HTTPClientError.RecoverySuggestion?,
        _ head: HTTPResponse
    ) -> HTTPClientError {
        HTTPClientError(
            code, phase: .receiving, origin: url.origin.description, message: message,
            recoverySuggestion: recoverySuggestion,
            response: Response(head: head, url: url))
    }

    func lostConnection(_ message: String, to request: Request) -> HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .receiving, origin: request.url.origin.description, message: message,
            recoverySuggestion: .tryAgain)
    }

    private static func length(_ head: HTTPResponse, _ request: Request) -> Int? {
        // In these responses, the field announces a body that is not sent.
        if request.method == .head || head.status == .notModified { return nil }
        return head.headerFields.contentLength
    }
}
