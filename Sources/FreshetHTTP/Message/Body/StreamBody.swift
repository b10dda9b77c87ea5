public import FreshetCore

extension RequestBody {
    /// What a stream yields, piece by piece.
    ///
    /// It is subscribed to as the request goes out and paused while the network is behind. Its error ends the request;
    /// if the request ends first, it is disposed of.
    ///
    /// - Parameters:
    ///   - pieces: the body, in order.
    ///   - length: how many bytes there are in all, if that is known; otherwise HTTP/1.1 sends them in chunks.
    ///   - isReplayable: whether each subscription gets all of it, so that it can be sent again after a redirect, a
    ///     refresh, or on another connection. Else the request is sent once only.
    ///   - contentType: what goes out as `Content-Type`, if the headers name none.
    public static func stream(
        _ pieces: Observable<[UInt8]>, length: Int? = nil, isReplayable: Bool = false, contentType: String? = nil
    ) -> RequestBody {
        .source(
            RequestBodySource(length: length, isReplayable: isReplayable, contentType: contentType) { _ in pieces })
    }
}
