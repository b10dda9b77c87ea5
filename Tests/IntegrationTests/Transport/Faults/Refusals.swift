import FreshetHTTP
import HTTPTypes

@testable import FreshetCurl

/// What becomes of requests that an HTTP/2 server refuses, which depends on two quirks.
enum Refusals {
    /// How often a request goes out that is refused for ever.
    ///
    /// Without `SilentResendGuard` nobody can tell why libcurl sends a request again: it may do so once, and only if that does
    /// no harm.
    static func sendings(_ method: HTTPRequest.Method) -> Int {
        Quirks.areOff ? (method.isIdempotent ? 2 : 1) : 6
    }

    /// Without `RefusedStreams` libcurl before 8.1 takes a GOAWAY below the only stream for broken HTTP/2.
    static let areTakenForFaults = Quirks.areOff && CurlVersion.number < 0x08_01_00
}
