import FreshetCore
import HTTPTypes

extension Request {
    /// The `curl` command line that sends this request once, for a POSIX shell.
    ///
    /// Header fields, queries and bodies that may hold secrets are masked. The command reads files itself. It reads a stream from
    /// standard input, also a stream in a form. It leaves out the settings of the transport, such as its proxy, and of the
    /// client, such as redirects. Its `User-Agent` lacks the version of HTTP that the transport can add.
    public var curlDescription: String { curlDescription() }

    /// The `curl` command line that sends this request once, with a choice of what it shows.
    ///
    /// - Parameters:
    ///   - revealingSecrets: whether nothing is masked. Such a command does not belong in logs.
    ///   - redaction: what is shown when secrets are masked.
    ///   - bodyLimit: the largest body that is written out, in bytes. For a larger body, the command names the size. The files
    ///     of a form do not count, because the command reads them.
    public func curlDescription(
        revealingSecrets: Bool = false, redaction: Redaction = Redaction(), bodyLimit: Int = 64 * 1024
    ) -> String {
        CurlCommand(self, redaction: revealingSecrets ? nil : redaction, bodyLimit: bodyLimit).description
    }
}

extension Attempt {
    /// The `curl` command line that sends what this attempt sent; see ``Request/curlDescription``.
    public var curlDescription: String { request.curlDescription }

    /// The `curl` command line that sends what this attempt sent, with a choice of what it shows.
    public func curlDescription(
        revealingSecrets: Bool = false, redaction: Redaction = Redaction(), bodyLimit: Int = 64 * 1024
    ) -> String {
        request.curlDescription(revealingSecrets: revealingSecrets, redaction: redaction, bodyLimit: bodyLimit)
    }
}

private struct CurlCommand {
    private let request: Request
    /// `nil` reveals everything.
    private let redaction: Redaction?
    private let bodyLimit: Int
    private var words = ["curl"]
    /// The command that writes the body to the standard input of `curl`.
    private var source = ""

    init(_ request: Request, redaction: Redaction?, bodyLimit: Int) {
        self.request = request
        self.redaction = redaction
        self.bodyLimit = bodyLimit
        addMethod()
        addOptions()
        addFields()
        addBody()
        let url = redaction?.url(request.url) ?? request.url.absoluteString
        // Without this option, `curl` takes brackets for patterns, also in the name of a file that it uploads.
        if (url + (filePath ?? "")).contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        words.append(ShellWord.quoted(url))
    }

    var description: String { source + words.joined(separator: " ") }

    private var hasBody: Bool { request.body != .empty }
    /// Whether the method expects a body, so that a length of 0 has to announce a missing one. Source: RFC 9110 section 8.6.
    private var saysLength: Bool { [.post, .put, .patch].contains(request.method) }

    private mutating func addMethod() {
        switch request.method {
        case .get where !hasBody: break
        case .head where !hasBody: words.append("--head")
        default: words += ["-X", ShellWord.quoted(request.method.rawValue)]
        }
    }

    private mutating func addOptions() {
        switch request.transfer?.version {
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        case .automatic, nil: break
        }
        if let timeout = request.timeout, timeout < .never { words += ["--max-time", Self.seconds(timeout)] }
        if let timeout = request.transfer?.connectTimeout { words += ["--connect-timeout", Self.seconds(timeout)] }
        guard !request.headers.contains(.acceptEncoding) else { return }
        // The transport asks for no compression of a range.
        if request.headers.contains(.range) { add("Accept-Encoding: identity") } else { words.append("--compressed") }
    }

    private mutating func addFields() {
        for field in request.headers.withOneCookieField {
            let value = redaction?.value(of: field) ?? field.value
            // curl sends a name with a semicolon as a field without a value, and leaves out one with a colon.
            let empty = field.isLeftOut ? ":" : ";"
            add(value.isEmpty ? "\(field.name.rawName)\(empty)" : "\(field.name.rawName): \(value)")
        }
        if hasBody || saysLength, !request.headers.contains(.contentType) {
            add("Content-Type:" + (request.body.contentType.map { " \($0)" } ?? ""))
        }
        if !request.headers.contains(.userAgent) { words += ["-A", HTTPClient.userAgent] }
    }

    private mutating func add(_ field: String) {
        words += ["-H", ShellWord.quoted(field)]
    }

    private mutating func addBody() {
        switch request.body {
        case .empty:
            if saysLength { words += ["--data-raw", "''"] }
        case .bytes(let bytes):
            add(bytes)
        case .source(let body):
            if let bytes = body.bytes { return add(bytes) }
            switch body.contents {
            case .file(let path, range: nil): add(file: path)
            case .file: addInput()
            case .sequence: addForm()
            case nil: addUpload("-T", "-")
            }
        }
    }

    private mutating func add(file path: String) {
        // With `-T`, `curl` adds the name of the file to a URL that ends with a slash.
        if request.url.path.hasSuffix("/") { addUpload("--data-binary", "@" + path) } else { addUpload("-T", path) }
    }

    private var filePath: String? {
        if case .source(let body) = request.body, case .file(let path, range: nil) = body.contents { path } else { nil }
    }

    private mutating func add(_ bytes: [UInt8]) {
        guard isShown(bytes.count) else { return add(size: bytes.count) }
        if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) {
            words += ["--data-raw", ShellWord.quoted(text)]
        } else {
            addInput()
        }
    }

    private mutating func addForm() {
        if isShown(Self.bytesInMemory(request.body)) { addInput() } else { add(size: request.body.length) }
    }

    private func isShown(_ count: Int) -> Bool { redaction == nil && count <= bodyLimit }

    private mutating func add(size: Int?) {
        if let size { words += ["--data-raw", ShellWord.quoted("<\(size) bytes>")] } else { addUpload("-T", "-") }
    }

    private mutating func addInput() {
        source = Self.writing(request.body) + " | "
        if request.body.length == nil { addUpload("-T", "-") } else { addUpload("--data-binary", "@-") }
    }

    private mutating func addUpload(_ option: String, _ source: String) {
        // curl expects 100 for an upload, and for a body of more than 1 MiB.
        if request.transfer?.expectsContinue == nil, !request.headers.contains(.expect) { add("Expect:") }
        words += [option, ShellWord.quoted(source)]
    }

    private static func bytesInMemory(_ body: RequestBody) -> Int {
        guard case .source(let source) = body, case .sequence(let parts) = source.contents else {
            return body.bytes?.count ?? 0
        }
        return parts.reduce(0) { $0 + bytesInMemory($1) }
    }

    /// The command that writes `body`.
    private static func writing(_ body: RequestBody) -> String {
        if let bytes = body.bytes { return ShellWord.printing(bytes) }
        guard case .source(let source) = body, let contents = source.contents else { return "cat" }
        return switch contents {
        case .file(let path, let range): ShellWord.reading(path, range)
        case .sequence(let parts): "{ \(parts.map(writing).joined(separator: "; ")); }"
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        // A limit of 0 would be none.
        let (seconds, attoseconds) = max(duration, .milliseconds(1)).components
        guard attoseconds > 0 else { return "\(seconds)" }
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds).\(String(repeating: "0", count: 3 - milliseconds.count))\(milliseconds)"
    }
}
