import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes

/// The fault of a soak's server for a request. Only the request's number and the seed decide it.
enum SoakFault: CaseIterable {
    case close, reset, cut, resetInBody, cutInChunk, garbage, brokenChunk, twoLengths, flood, silence
    /// With these faults the request gets a response.
    case closesAfter, slow, unsolicited, interims

    static func of(_ number: Int, seed: UInt64) -> SoakFault? {
        var random = SplitMix64(seed: seed ^ (UInt64(number) << 20))
        return random.once(in: 10) ? allCases.randomElement(using: &random) : nil
    }

    /// The errors with which the request may end; `nil` is a response.
    var codes: [HTTPClientError.Code?] {
        switch self {
        case .close, .reset, .cut, .resetInBody, .cutInChunk: [.connectionLost]
        case .garbage, .brokenChunk, .twoLengths: [.protocol]
        case .flood: [.tooLarge]
        case .silence: [.timeout]
        case .closesAfter, .slow, .unsolicited, .interims: [nil]
        }
    }

    func response(_ text: String) -> ScriptedResponse {
        let good = ScriptedResponse(body: text)
        let head = "HTTP/1.1 200 OK\r\n"
        switch self {
        case .close: return .close
        case .reset: return .reset
        case .cut: return good.truncated(after: 2)
        case .resetInBody: return good.reset(after: 2)
        case .cutInChunk: return good.chunked(["more"]).truncated(after: text.utf8.count + 2)
        case .garbage: return .raw("\u{1}\u{2}\u{3} is no HTTP\r\n\r\n")
        case .brokenChunk: return .raw(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + text)
        case .twoLengths: return .raw(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n" + text)
        case .flood: return .raw(head + String(repeating: "X-Flood: 0123456789abcdef\r\n", count: 400) + "\r\n")
        case .silence: return .silence
        case .closesAfter: return good.closingWithoutConnectionClose()
        case .slow: return ScriptedResponse(pieces: text.utf8.map { [$0] }).pausing(.milliseconds(1))
        case .unsolicited:
            return .raw(head + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)HTTP/1.1 200 OK\r\n\r\nforged")
        case .interims: return (0..<8).reduce(good) { response, _ in response.preceded(by: .init(code: 103)) }
        }
    }
}
