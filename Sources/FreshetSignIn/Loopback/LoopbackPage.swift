/// The response to a browser. Its page is fixed and contains nothing from the request.
struct LoopbackPage {
    private let head: String
    private let body: String

    /// The response to a GET.
    var bytes: [UInt8] { Array((head + body).utf8) }
    /// The response to a HEAD. Source: RFC 9110 section 9.3.2.
    var bytesWithoutBody: [UInt8] { Array(head.utf8) }

    private init(_ status: Int, _ reason: String, _ text: String, head fields: String = "") {
        // A 204 has neither a body nor its length. Source: RFC 9110 section 8.6.
        let hasBody = status != 204
        body =
            hasBody
            ? """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title><body><p>\(text)</p></body></html>
            """ : ""
        let length = hasBody ? "Content-Length: \(body.utf8.count)\r\n" : ""
        head =
            """
            HTTP/1.1 \(status) \(reason)\r
            Content-Type: text/html; charset=utf-8\r
            \(length)Content-Security-Policy: default-src 'none'\r
            X-Content-Type-Options: nosniff\r
            Referrer-Policy: no-referrer\r
            Cache-Control: no-store\r
            Connection: close\r
            \(fields)\r

            """
    }

    static func status(_ status: Int, _ reason: String, head fields: String = "") -> LoopbackPage {
        LoopbackPage(status, reason, "\(status) \(reason)", head: fields)
    }

    /// Responds to a request.
    ///
    /// - Parameters:
    ///   - head: the head of the request, without its blank line.
    ///   - authority: the required value of `Host`, so that no page of another site can send the request (DNS rebinding).
    ///   - received: called with a callback.
    init(
        for head: [UInt8], at address: LoopbackReceiver.Address, _ authority: String,
        _ received: (Callback) -> CallbackResult
    ) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let request = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard request.count == 3, request[2].hasPrefix("HTTP/1."), request[1].hasPrefix("/") else {
            self = .status(400, "Bad Request")
            return
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let target = request[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard fields["host"]?.lowercased() == authority else {
            self = .status(400, "Bad Request")
            return
        }
        guard target[0] == address.path else {
            self = .status(404, "Not Found")
            return
        }
        guard request[0] == "GET" else {
            self = .status(405, "Method Not Allowed", head: "Allow: GET\r\n")
            return
        }
        // A prefetch must not use up the code.
        guard ![fields["sec-purpose"], fields["purpose"]].contains(where: { $0?.contains("prefetch") == true }) else {
            self = .status(204, "No Content")
            return
        }
        switch received(Callback(query: target.count > 1 ? target[1] : "")) {
        case .accepted:
            self = LoopbackPage(200, "OK", "The login goes on in the program. You can close this page.")
        case .refused:
            self = LoopbackPage(400, "Bad Request", "The login has failed. The program that began it says why.")
        case .ignored:
            self = LoopbackPage(400, "Bad Request", "This page belongs to no login that is under way.")
        }
    }
}
