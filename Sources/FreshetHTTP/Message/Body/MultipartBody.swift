import FreshetCore

extension RequestBody {
    /// A form with files: see ``MultipartForm``. Its length is announced if that of all parts is known, and it can be sent
    /// again if all parts can.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        let contentType = "multipart/form-data; boundary=\(form.quotedBoundary)"
        let segments = form.segments
        if form.problem == nil, segments.count == 1, let bytes = segments[0].bytes {
            return .bytes(bytes, contentType: contentType)
        }
        let lengths = segments.map(\.length)
        return .source(
            RequestBodySource(
                length: lengths.contains(nil) ? nil : lengths.reduce(0) { $0 + ($1 ?? 0) },
                isReplayable: segments.allSatisfy(\.isReplayable),
                contentType: contentType,
                check: {
                    if let problem = form.problem { throw problem }
                    for case .source(let source) in segments { try source.check() }
                },
                open: { scheduler in
                    .concat(
                        segments.map { segment in
                            guard case .source(let source) = segment else { return .just(segment.bytes ?? []) }
                            return source.open(blockingOn: scheduler)
                        })
                }))
    }
}

extension MultipartForm {
    /// Larger bytes are not copied to stand beside what comes before them.
    private static let joinLimit = 64 * 1024

    /// A boundary with a colon or the like has to be quoted, and many servers know no quotes where none are needed.
    fileprivate var quotedBoundary: String {
        boundary.utf8.contains { "'()+,/:=?".utf8.contains($0) } ? "\"\(boundary)\"" : boundary
    }

    /// The whole body, in pieces that are in memory or read as they are sent.
    fileprivate var segments: [RequestBody] {
        var segments: [RequestBody] = []
        var open: [UInt8] = []
        for part in parts {
            open += "--\(boundary)\r\n\(part.head)".utf8
            if let bytes = part.body.bytes, bytes.count <= Self.joinLimit {
                open += bytes
            } else {
                segments += [.bytes(open), part.body]
                open = []
            }
            open += "\r\n".utf8
        }
        open += "--\(boundary)--\r\n".utf8
        return segments + [.bytes(open)]
    }
}
