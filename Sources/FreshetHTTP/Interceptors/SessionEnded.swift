/// The reason why a request fails that belongs to a session that has ended: the ``HTTPClientError/underlying`` of its error.
///
/// No later attempt of the request can succeed, because it is not sent as the next user. An event stream does not reconnect after
/// it.
public struct SessionEnded: Error, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "the session of the request has ended" }
}
