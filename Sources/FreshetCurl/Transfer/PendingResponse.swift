import CFreshetCurl
import FreshetHTTP

/// A response that has come while the request was being sent, which libcurl does not read any more once sending fails: a server
/// that has enough of a body answers, leaves, and resets what still arrives. The system keeps what came before that.
enum PendingResponse {
    /// How much of a response is read after the connection has failed.
    private static let limit = 1 << 20

    /// Reads what has come on a socket that is about to be closed.
    static func read(from fd: curl_socket_t) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let count = bytes.count
            bytes += repeatElement(0, count: 16_384)
            let read = bytes.withUnsafeMutableBytes { freshet_take(fd, $0.baseAddress! + count, 16_384) }
            bytes.removeLast(16_384 - max(0, read))
            if read <= 0 { break }
        }
        return bytes
    }
}

extension TransferStateMachine {
    /// Takes what was left on the connection when sending failed.
    ///
    /// - Parameter actions: what the receiver gets of it, whether the response is whole or not.
    /// - Returns: whether that is the rest of a response, and all of it.
    mutating func received(rest bytes: [UInt8], _ actions: inout [Action]) -> Bool {
        guard !bytes.isEmpty, failure == nil, !isHeld else { return false }
        return bytes.withUnsafeBytes { bytes in
            if response.hasHead { return received(restOfBody: bytes, isFromStart: false, &actions) }
            guard stage != .receiving, let start = received(restOfHead: bytes, &actions) else { return false }
            let body = UnsafeRawBufferPointer(rebasing: bytes[start...])
            return received(restOfBody: body, isFromStart: true, &actions)
        }
    }

    private var moment: Moment { Moment(time: times.activity, call: 0) }

    /// - Returns: where the body begins; `nil` if the head is not whole, or wrong.
    private mutating func received(restOfHead bytes: UnsafeRawBufferPointer, _ actions: inout [Action]) -> Int? {
        var start = 0
        while !response.hasHead {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start...end])
            actions += received(lines: line, at: moment).filter(\.isForReceiver)
            guard failure == nil, !expectation.wantsAnotherTry, !connection.mustBeNew else { return nil }
            start = end + 1
        }
        return start
    }

    private mutating func received(
        restOfBody bytes: UnsafeRawBufferPointer, isFromStart: Bool, _ actions: inout [Action]
    ) -> Bool {
        // What is coded libcurl alone can decode.
        guard response.coded == nil else { return false }
        if response.isBodyless { return true }
        guard response.isChunked else {
            guard let length = response.contentLength else { return false }
            let rest = UnsafeRawBufferPointer(rebasing: bytes.prefix(length - response.received))
            if !rest.isEmpty { actions += received(body: rest, at: moment).filter(\.isForReceiver) }
            return failure == nil && response.received == length
        }
        guard isFromStart else { return false }
        var frames = ChunkedFrames()
        frames.process(bytes) { actions += received(body: $0, at: moment).filter(\.isForReceiver) }
        return failure == nil && frames.hasEnded
    }
}

extension TransferStateMachine.Action {
    /// Whether it is done without libcurl, which has done with the transfer.
    fileprivate var isForReceiver: Bool {
        switch self {
        case .deliver, .reportSent: true
        default: false
        }
    }
}
