import HTTPTypes

// A message that is printed, logged or dumped shows no secret: no field's value, no query and no body.

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(method) \(url.redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(status.code) from \(url.redacted), \(body.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension RequestURL: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { length.map { "\($0) bytes" } ?? "bytes of unknown number" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["length": length as Any]) }
}

extension RequestBodySource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { RequestBody.source(self).description }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["length": length as Any]) }
}

extension ResponsePart: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .phase(let phase): "phase(\(phase))"
        case .sent(let bytes, let total): "sent(\(bytes) of \(total.map { "\($0)" } ?? "?"))"
        case .informational(let head): "informational(\(head.status.code))"
        case .head(let head): "head(\(head.status.code))"
        case .body(let bytes): "body(\(bytes.count) bytes)"
        case .trailers(let fields): "trailers(\(fields.count))"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}

extension RequestEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .attempt(let number, let request): "attempt(\(number), \(request))"
        case .phase(let phase): "phase(\(phase))"
        case .sent(let bytes, let total): "sent(\(bytes) of \(total.map { "\($0)" } ?? "?"))"
        case .informational(let head): "informational(\(head.status.code))"
        case .redirect(let status, let url): "redirect(\(status.code), \(url))"
        case .retry(let delay, let outcome): "retry(after \(delay), \(outcome))"
        case .head(let head, let url): "head(\(head.status.code), \(url))"
        case .body(let bytes): "body(\(bytes.count) bytes)"
        case .trailers(let fields): "trailers(\(fields.count))"
        case .credentialChanged(let change): "credentialChanged(\(change))"
        case .finished(let timings): "finished(\(timings))"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

extension Attempt.Outcome: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .response(let response): "response(\(response))"
        case .failure(let error): "failure(\(error.safeDescription))"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["outcome": description]) }
}

// A cache status and a downloaded file hold a head. By default `dump` would show its fields.

extension CacheStatus: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .hit(let age): "hit(age: \(age))"
        case .revalidated(let head): "revalidated(\(head.status))"
        case .stale(let age): "stale(age: \(age))"
        case .miss: "miss"
        case .unsatisfiable: "unsatisfiable"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["status": description]) }
}

extension DownloadedFile: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["path": path, "size": size, "status": head.status, "url": url])
    }
}

extension DownloadEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .request(let event): "request(\(event))"
        case .progress(let progress): "progress(\(progress.received) of \(progress.total.map { "\($0)" } ?? "?"))"
        case .resuming(let offset, let delay, let error):
            "resuming(at \(offset), after \(delay), \(error.safeDescription))"
        case .finished(let file): "finished(\(file.size) bytes)"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}
