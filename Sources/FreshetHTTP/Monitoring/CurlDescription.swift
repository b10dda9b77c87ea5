import FreshetCore
import HTTPTypes

extension Request {
    /// The command line of `curl` that sends this request once, for a shell that follows POSIX.
    ///
    /// Header fields, queries and bodies that may hold secrets are masked. The body of a stream is read from standard input.
    /// What is the transport's, such as its proxy, or the client's, such as redirects, is not in it.
    public var curlDescription: String { curlDescription() }

    /// The same, as is wanted.
    ///
    /// - Parameters:
    ///   - revealingSecrets: whether nothing is masked, so that the command does what the request does. Not for logs.
    ///   - redaction: what is shown where that is not so.
    ///   - bodyLimit: the largest body that is written out, in bytes; a larger one is named by its size.
    public func curlDescription(
        revealingSecrets: Bool = false, redaction: Redaction = Redaction(), bodyLimit: Int = 64 * 1024
    ) -> String {
        CurlCommand(self, redaction: revealingSecrets ? nil : redaction, bodyLimit: bodyLimit).description
    }
}

extension Attempt {
    /// The command line of `curl` that sends what this attempt sent; see ``Request/curlDescription``.
    public var curlDescription: String { request.curlDescription }

    /// The same, as is wanted.
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
    /// What comes before the command and writes the body to its standard input.
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
        // It would take brackets for patterns.
        if url.contains(where: { "[]".contains($0) }) { words.append("--globoff") }
        words.append(ShellWord.quoted(url))
    }

    var description: String { source + words.joined(separator: " ") }

    private var hasBody: Bool { request.body != .empty }
    /// Where a body is expected, its absence is said by a length of 0: RFC 9110, section 8.6.
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
        if !request.headers.contains(.acceptEncoding) { words.append("--compressed") }
    }

    private mutating func addFields() {
        for field in request.headers {
            let value = redaction?.value(of: field) ?? field.value
            // It would take a field without a value for one that is not to be sent.
            add(value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)")
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
            words += ["-T", body.path.map(ShellWord.quoted) ?? "-"]
        }
    }

    private mutating func add(_ bytes: [UInt8]) {
        guard redaction == nil, bytes.count <= bodyLimit else {
            return words += ["--data-raw", ShellWord.quoted("<\(bytes.count) bytes>")]
        }
        if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) {
            words += ["--data-raw", ShellWord.quoted(text)]
        } else {
            source = "printf '\(ShellWord.octal(bytes))' | "
            words += ["--data-binary", "@-"]
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        guard attoseconds > 0 else { return "\(seconds)" }
        return "\(seconds).\(String(repeating: "0", count: 3 - milliseconds.count))\(milliseconds)"
    }
}

/// Words of a shell. Source: POSIX.1-2017, Shell Command Language, sections 2.2.2 and 2.6.
private enum ShellWord {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+:,./-_")

    /// `text` as one word, whatever is in it but NUL, which no word can have.
    static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.allSatisfy(plain.contains) { return text }
        // By scalar, for a quote that a mark is combined with is still a quote to the shell.
        var word = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
        }
        return word + "'"
    }

    /// What `printf` writes as `bytes`.
    static func octal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}
