import CFreshetCurl
import FreshetHTTP

/// A result code of libcurl, by its name in C and by its number.
public struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value of libcurl's `CURLcode`.
    public let code: UInt32

    public var description: String { "curl \(code): \(String(cString: curl_easy_strerror(CURLcode(code))))" }
}

extension CurlError {
    /// What a failure is, what happened, and what to do next.
    typealias Meaning = (HTTPClientError.Code, String, HTTPClientError.Remedy)

    /// What a transfer's failure means to the caller.
    func meaning(in circumstances: Circumstances) -> Meaning {
        let (phase, detail) = (circumstances.phase, circumstances.detail)
        let said =
            detail.isEmpty || isOfEarlierConnection(detail)
            ? String(cString: curl_easy_strerror(CURLcode(code))) : detail
        if let meaning = circumstances.proxyMeaning(CURLcode(code), said) { return meaning }
        if let meaning = circumstances.tlsMeaning(CURLcode(code), said) { return meaning }
        switch CURLcode(code) {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return (.resolve, "the host name was not resolved (\(said))", "check the name and the resolver")
        case CURLE_COULDNT_CONNECT where circumstances.route?.socketPath != nil:
            return (
                .connect,
                "nobody listens at \(circumstances.route?.socketPath ?? "")", "check that the server runs and the path"
            )
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            return (.connect, "no connection was made (\(said))", "check that the server runs and can be reached")
        case CURLE_INTERFACE_FAILED:
            return (
                .connect,
                "the local address or interface can't be used (\(said))", "take one of this machine that leads there"
            )
        case CURLE_OPERATION_TIMEDOUT:
            return (.timeout, "the time was up", .allowMoreTime)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_FILESIZE_EXCEEDED,
            CURLE_HTTP3:
            return (.protocol, "what came is no valid HTTP", "check that the address is that of an HTTP server")
        case CURLE_RECV_ERROR where detail == "Out of memory in chunked-encoding":
            return (.tooLarge, "a trailer of the answer is too large", "check what answers there")
        case CURLE_RECV_ERROR where detail.hasSuffix("in chunked-encoding"),
            CURLE_BAD_FUNCTION_ARGUMENT where detail.hasSuffix("chunked-encoded stream"):
            return (.protocol, "the answer's chunks are broken", "check that the address is that of an HTTP server")
        case CURLE_BAD_FUNCTION_ARGUMENT where phase == .waiting || phase == .receiving:
            return (.protocol, "the head begins with the continuation of a line", "check what answers there")
        case CURLE_HTTP2_STREAM where !detail.isEmpty:
            return Self.meaning(ofReset: detail)
        case CURLE_RECV_ERROR where detail.contains("nghttp2_session_mem_recv() returned -902"):
            return (
                .tooLarge, "the head of the answer is larger than HTTP/2 is taken with", .askForHTTP1
            )
        case CURLE_RECV_ERROR where detail.contains("nghttp2_session_mem_recv() returned"):
            return (.protocol, "what came is no valid HTTP/2", .askForHTTP1)
        case CURLE_BAD_CONTENT_ENCODING:
            return (.decoding, "the content coding of the answer can't be decoded", "ask for another, or for none")
        case CURLE_WRITE_ERROR where circumstances.decodes:
            return (.decoding, "the compressed answer is broken", .askUncompressed)
        case CURLE_URL_MALFORMAT:
            return (.invalidRequest, "the URL was not understood", "check its host and port")
        case CURLE_OUT_OF_MEMORY where phase == .waiting || phase == .receiving:
            return (.tooLarge, "a header line of the answer is too large", .raiseHeadLimit)
        case CURLE_OUT_OF_MEMORY, CURLE_AGAIN:
            return (.overloaded, "the system has no memory left", "lower the load")
        default:
            return (.connectionLost, "the connection ended before the answer was complete", .tryAgain)
        }
    }

    /// Whether libcurl's words are about a kept connection that ended as the request went out on it: it keeps the first that it
    /// says, and the one that failed to be made in its place is the second.
    private func isOfEarlierConnection(_ detail: String) -> Bool {
        CURLcode(code) == CURLE_COULDNT_CONNECT
            && (detail.hasPrefix("Recv failure") || detail.hasPrefix("Send failure"))
    }

    /// Of an HTTP/2 stream that was reset, whoever did it: libcurl names the reason, one of those of RFC 9113 section 7.
    private static func meaning(ofReset detail: String) -> Meaning {
        let words = detail.contains("(err ") ? detail.split(separator: ":").last : nil
        let reason = words?.split(separator: " ").first
        switch reason {
        case "PROTOCOL_ERROR":
            return (
                .protocol,
                "the answer breaks the rules of HTTP/2, or the server says that of the request", .askForHTTP1
            )
        case "ENHANCE_YOUR_CALM":
            return (
                .connectionLost,
                "the server reset the stream, for it is asked too much", "try again later, and less often"
            )
        case let reason?:
            return (.connectionLost, "the stream was reset (\(reason)) before the answer was complete", .tryAgain)
        case nil:
            return (.connectionLost, "the stream was reset before the answer was complete", .tryAgain)
        }
    }
}
