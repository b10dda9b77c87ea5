import FreshetHTTP
import HTTPTypes

@testable import FreshetCurl

/// The outcomes of requests that an HTTP/2 server refuses. They depend on two quirks.
enum Refusals {
    /// How often a request is sent that the server always refuses.
    ///
    /// Without `SilentResendGuard` the client can't tell why libcurl sends a request again. libcurl may then do so once, and
    /// only for idempotent methods.
    static func sendings(_ method: HTTPRequest.Method) -> Int {
        Quirks.areOff ? (method.isIdempotent ? 2 : 1) : 6
    }

    /// Whether libcurl takes a GOAWAY below the only stream for a protocol error. Before 8.1 it does, without `RefusedStreams`.
    static let areTakenForFaults = Quirks.areOff && CurlVersion.number < 0x08_01_00
}
