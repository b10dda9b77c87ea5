import HTTPTypes

// How the body of a request goes out.
extension Request {
    /// Returns the request with its body as it is to be sent. It may block; see ``RequestBodySource/check()``.
    public func checked() throws -> Request {
        var request = self
        request.body = try body.checked()
        return request
    }

    /// Whether the body went out with the head, when `bytes` were sent in all. A small body in memory is sent in one piece; of all
    /// other bodies, each piece is reported.
    func isBodySent(within bytes: Int) -> Bool {
        !asksToContinue(transfer) && body.bytes.map { $0.count <= bytes } ?? false
    }

    /// Whether the body does not count as sent at once. One of up to 64 KiB does, unless the server is asked first.
    var hasLongBody: Bool { body.length.map { $0 > 65_536 || ($0 > 0 && asksToContinue(transfer)) } ?? true }

    /// Whether the body, if there is one, waits until the server has agreed to it: by the options or by a field of the request.
    package func asksToContinue(_ options: TransferOptions?) -> Bool {
        options?.expectsContinue != nil || headers.contains(.expect)
    }
}
