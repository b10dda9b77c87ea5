import CFreshetCurl
import FreshetHTTP
import HTTPTypes

extension Request {
    /// The error of a request that can't be sent; `nil` if nothing is wrong with it.
    func refusal(_ options: TransferOptions) -> HTTPClientError? {
        if options.version == .http2, url.scheme != "https" {
            return refusal("HTTP/2 is spoken over https only", .useHTTP1)
        }
        let method = method
        if method != .get {
            if method == .head, !body.isEmpty {
                return refusal("a HEAD request has no body", "leave it out")
            }
            if method == .connect {
                return refusal("CONNECT asks for a tunnel, which is not offered", "use another method")
            }
        }
        if case .source(let source) = body {
            guard source.contentType.map({ HTTPField.isValidValue($0) }) ?? true else {
                return refusal("the body's content type holds CR, LF or NUL", "take it out")
            }
        }
        return refusalOfHead
    }

    private var refusalOfHead: HTTPClientError? {
        var hosts = 0
        let target = url.pathAndQuery.utf8.count
        var size = method.rawValue.utf8.count + target
        for field in headers {
            size += field.name.rawName.utf8.count + 4
            let start = size
            let isClean = field.withUnsafeBytesOfValue {
                size += $0.count
                return freshet_ends_line($0.baseAddress, $0.count) == 0
            }
            if size - start > RequestHead.longestValue {
                return refusal(
                    "the header \(field.name.rawName) is too long: \(size - start) bytes", "send data in the body")
            }
            guard isClean else {
                return refusal("the header \(field.name.rawName) holds CR, LF or NUL", "take it out")
            }
            if field.name.canonicalName == "host" {
                hosts += 1
                if hosts > 1 { return refusal("the request has two Host fields", "leave one out") }
            }
            if field.name.isSame(as: .transferEncoding) {
                return refusal("the transport frames the body itself", "leave Transfer-Encoding out")
            }
            if field.name.isSame(as: .contentLength), Int(digits: field.value) != body.length {
                return refusal("Content-Length is not the length of the body", "leave it out")
            }
        }
        if size > RequestHead.limit {
            return target > size / 2
                ? refusal("the URL's path and query are too long: \(target) bytes", "send data in the body")
                : refusal("the header fields are too long: \(size - target) bytes", "send fewer or shorter ones")
        }
        return nil
    }

    private func refusal(_ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion) -> HTTPClientError
    {
        HTTPClientError(
            .invalidRequest, phase: .preparing, origin: url.origin.description, message: message,
            recoverySuggestion: recoverySuggestion,
            isUnsent: true)
    }
}

extension HTTPField.Name {
    /// Compares the length first, because names of different length are not the same.
    fileprivate func isSame(as other: HTTPField.Name) -> Bool {
        canonicalName.utf8.count == other.canonicalName.utf8.count && self == other
    }
}
