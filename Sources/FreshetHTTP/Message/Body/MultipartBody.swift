import FreshetCore

extension RequestBody {
    /// A form with files: see ``MultipartForm``. The length is announced if the lengths of all parts are known. The body can be
    /// sent again if all parts can.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        let contentType = "multipart/form-data; boundary=\(form.quotedBoundary)"
        let segments = form.segments
        if form.problem == nil, segments.count == 1, let bytes = segments[0].bytes {
            return .bytes(bytes, contentType: contentType)
        }
        return .source(sequence(segments, contentType) { if let problem = form.problem { throw problem } })
    }

    /// One body after the other.
    private static func sequence(
        _ segments: [RequestBody], _ contentType: String, check: @escaping @Sendable () throws -> Void
    ) -> RequestBodySource {
        RequestBodySource(
            contents: .sequence(segments),
            length: sum(of: segments.map(\.length)),
            isReplayable: segments.allSatisfy(\.isReplayable),
            contentType: contentType,
            check: {
                try check()
                let checked = try segments.map { try $0.checked() }
                return checked == segments ? nil : sequence(checked, contentType, check: check)
            },
            open: { scheduler in
                .concat(
                    segments.map { segment in
                        guard case .source(let source) = segment else { return .just(segment.bytes ?? []) }
                        return source.open(blockingOn: scheduler)
                    })
            })
    }

    /// - Returns: `nil` if a length is not known, or no number can hold the sum.
    private static func sum(of lengths: [Int?]) -> Int? {
        lengths.reduce(0) { sum, length in
            guard let sum, let length, case (let next, false) = sum.addingReportingOverflow(length) else { return nil }
            return next
        }
    }
}

extension MultipartForm {
    /// The largest part, in bytes, that is copied to join the bytes before it.
    private static let joinLimit = 64 * 1024

    /// The boundary, in quotes if it holds a colon or the like. Many servers do not understand quotes where none are needed.
    fileprivate var quotedBoundary: String {
        boundary.utf8.contains { "'()+,/:=?".utf8.contains($0) } ? "\"\(boundary)\"" : boundary
    }

    /// The whole body, in segments that are in memory or that are read while they are sent.
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
