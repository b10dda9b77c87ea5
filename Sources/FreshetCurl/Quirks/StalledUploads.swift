import FreshetLoop

/// libcurl 7.88 asks to write all the time while an upload waits until an HTTP/2 server opens its window.
///
/// The socket can take more bytes, so the loop calls libcurl in each turn, and libcurl sends nothing.
///
/// - Affected: 7.88.1, which Debian 12 has. Upstream: 8.5.0 and 8.14.1 do not ask; the versions between were not tried.
/// - Done: after several such calls the loop does not watch the socket for writing, until something arrives or for 10 ms.
/// - Checked: the version, once.
/// - Without it: such a wait uses a whole processor.
/// - Delete it when 8.5 is the oldest libcurl that is supported.
struct StalledUploads {
    static let isActive = !Quirks.areOff && CurlVersion.number < 0x08_05_00
    static let rest = Duration.milliseconds(10)
    /// The rest of a TLS record is sent without a new one, so that one such call is no sign.
    private static let limit = 8

    private var emptyCalls = 0
    /// Whether the socket must not be watched for writing.
    private(set) var isResting = false

    /// Records that libcurl has acted on the socket because of `events`.
    ///
    /// - Parameter isSent: whether it sent a TLS record meanwhile.
    mutating func acted(on events: LoopPoll.Events, isSent: Bool) {
        let isWritable = events.contains(.writable)
        if isSent { emptyCalls = 0 } else if isWritable { emptyCalls += 1 }
        isResting = isWritable && emptyCalls >= Self.limit
    }

    mutating func wake() { isResting = false }
}

extension CurlMulti {
    /// Lets libcurl try again on the sockets that rest.
    func wakeStalledUploads() {
        for socket in state.descriptors.sockets where socket.stalledUpload.isResting { socket.wake() }
    }
}
