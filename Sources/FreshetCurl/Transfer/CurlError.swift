import CFreshetCurl
import FreshetHTTP

/// A result code of libcurl: its number, and libcurl's text for it.
public struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value of libcurl's `CURLcode`.
    public let code: UInt32

    public var description: String { "curl \(code): \(String(cString: curl_easy_strerror(CURLcode(code))))" }
}

extension CurlError {
    /// The code, the message and the recovery suggestion of a failure.
    typealias Meaning = (HTTPClientError.Code, String, HTTPClientError.RecoverySuggestion)

    /// The meaning of a failure to the caller. The message shows libcurl's text, and nothing depends on that text.
    func meaning(in context: FailureContext) -> Meaning {
        let text = context.detail.isEmpty ? String(cString: curl_easy_strerror(CURLcode(code))) : context.detail
        return context.proxyMeaning(CURLcode(code), text)
            ?? context.tlsMeaning(CURLcode(code), text)
            ?? connectingMeaning(in: context, text)
            ?? responseMeaning(in: context)
            ?? (.connectionLost, "the connection ended before the response was complete", .tryAgain)
    }

    /// The meaning of a failure before a connection is made; `nil` if it is another failure.
    private func connectingMeaning(in context: FailureContext, _ text: String) -> Meaning? {
        switch CURLcode(code) {
        case CURLE_COULDNT_RESOLVE_HOST where context.route?.socketPath != nil:
            (.connect, "the path of the Unix domain socket can't be used (\(text))", "use a shorter path")
        case CURLE_SETOPT_OPTION_SYNTAX:
            (
                .resolve, "the addresses for the host name can't be used (\(text))",
                "write numeric addresses, without brackets"
            )
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            (.resolve, "the host name was not resolved (\(text))", "check the name and the resolver")
        case CURLE_COULDNT_CONNECT where context.route?.socketPath != nil:
            (
                .connect, "no program listens at \(context.route?.socketPath ?? "")",
                "check that the server runs and the path"
            )
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            (.connect, "no connection was made (\(text))", "check that the server runs and can be reached")
        case CURLE_INTERFACE_FAILED:
            (
                .connect, "the local address or interface can't be used (\(text))",
                "take one of this machine that leads there"
            )
        case CURLE_OPERATION_TIMEDOUT:
            (.timeout, "the time was up", .allowMoreTime)
        case CURLE_URL_MALFORMAT:
            (.invalidRequest, "the URL was not understood", "check its host and port")
        default: nil
        }
    }

    /// The meaning of a failure of the response; `nil` if it is another failure.
    private func responseMeaning(in context: FailureContext) -> Meaning? {
        let isUnderWay = context.phase == .waiting || context.phase == .receiving
        switch CURLcode(code) {
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_FILESIZE_EXCEEDED, CURLE_HTTP3:
            return Self.noHTTP
        case CURLE_RECV_ERROR, CURLE_HTTP2:
            return context.isConnectionEnded ? nil : brokenRules(in: context)
        case CURLE_HTTP2_STREAM:
            return (
                .connectionLost,
                context.detail.isEmpty
                    ? "the stream was reset before the response was complete"
                    : "the stream was reset before the response was complete (\(context.detail))", .tryAgain
            )
        case CURLE_BAD_FUNCTION_ARGUMENT where isUnderWay:
            return context.hasHead
                ? brokenRules(in: context)
                : (.protocol, "the head begins with the continuation of a line", "check which server runs there")
        case CURLE_BAD_CONTENT_ENCODING where !context.hasHead:
            return (.protocol, "the transfer coding of the response is unknown", "check which server runs there")
        case CURLE_BAD_CONTENT_ENCODING:
            return (.decoding, "the content coding of the response can't be decoded", .disableCompression)
        case CURLE_WRITE_ERROR where context.decodes:
            return (
                .decoding,
                "the compressed response is broken, or has several members, of which libcurl decodes only the first",
                .disableCompression
            )
        case freshet_curle_too_large:
            return Self.tooLarge
        case CURLE_OUT_OF_MEMORY where isUnderWay:
            return Self.tooLarge
        case CURLE_OUT_OF_MEMORY, CURLE_AGAIN:
            return (.overloaded, "the system has no memory left", "lower the load")
        default:
            return nil
        }
    }

    private static var tooLarge: Meaning {
        (.tooLarge, "a line of the response's head or trailers is too large", .raiseHeadLimit)
    }

    private static var noHTTP: Meaning {
        (.protocol, "what came is no valid HTTP", "check that the address is that of an HTTP server")
    }

    private func brokenRules(in context: FailureContext) -> Meaning {
        if context.isChunked {
            return (
                .protocol, "the response's chunks are broken", "check that the address is that of an HTTP server"
            )
        }
        guard context.isMultiplexed else { return Self.noHTTP }
        return (.protocol, "what came is no valid HTTP/2, or a head larger than libcurl takes", .useHTTP1)
    }
}
