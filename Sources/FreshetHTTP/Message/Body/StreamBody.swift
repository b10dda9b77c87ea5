public import FreshetCore

extension RequestBody {
    /// A body that a stream yields, piece by piece.
    ///
    /// The client subscribes when the request goes out, and pauses the stream while the network is behind. An error of the
    /// stream ends the request. If the request ends first, the client disposes of the subscription.
    ///
    /// - Parameters:
    ///   - pieces: the body, in order.
    ///   - length: the length of the body in bytes, if it is known; otherwise HTTP/1.1 sends the body in chunks.
    ///   - isReplayable: whether each subscription gets the whole body, so that it can be sent again after a redirect, a
    ///     refresh, or on another connection. Otherwise the request is sent only once.
    ///   - contentType: the `Content-Type` of the request, if its headers name none.
    public static func stream(
        _ pieces: Observable<[UInt8]>, length: Int? = nil, isReplayable: Bool = false, contentType: String? = nil
    ) -> RequestBody {
        .source(
            RequestBodySource(length: length, isReplayable: isReplayable, contentType: contentType) { _ in pieces })
    }
}
