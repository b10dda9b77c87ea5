import CFreshetCurl
import FreshetHTTP

/// A response that arrives while the request is being sent. libcurl does not read it after sending has failed.
///
/// A server that rejects the rest of a body responds, closes the connection, and resets it when more of the body arrives. The
/// system keeps the bytes that arrived before the reset.
enum PendingResponse {
    /// The number of bytes of a response that are read after the connection has failed.
    private static let limit = 1 << 20

    /// Reads the bytes that have arrived on a socket that is about to be closed.
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
    /// Processes the bytes that were left on the connection when sending failed.
    ///
    /// - Parameter actions: the actions for the receiver, whether the response is complete or not.
    /// - Returns: whether the bytes complete the response.
    mutating func received(rest bytes: [UInt8], _ actions: inout [Action]) -> Bool {
        guard !bytes.isEmpty, failure == nil, !isHeld else { return false }
        return bytes.withUnsafeBytes { bytes in
            if response.hasHead { return received(restOfBody: bytes, isFromStart: false, &actions) }
            guard !response.isInHead, let start = received(restOfHead: bytes, &actions) else { return false }
            let body = UnsafeRawBufferPointer(rebasing: bytes[start...])
            return received(restOfBody: body, isFromStart: true, &actions)
        }
    }

    private var callbackTime: CallbackTime { CallbackTime(time: times.activity, call: 0) }

    /// - Returns: where the body begins; `nil` if the head is incomplete or wrong.
    private mutating func received(restOfHead bytes: UnsafeRawBufferPointer, _ actions: inout [Action]) -> Int? {
        var start = 0
        while !response.hasHead {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start...end])
            actions += received(lines: line, at: callbackTime).filter(\.isForReceiver)
            guard failure == nil, expectation != .refused(isRetryDue: true), !connection.mustBeNew else { return nil }
            start = end + 1
        }
        return start
    }

    private mutating func received(
        restOfBody bytes: UnsafeRawBufferPointer, isFromStart: Bool, _ actions: inout [Action]
    ) -> Bool {
        // Only libcurl can decode a body.
        guard response.coded == nil else { return false }
        if response.isBodyless { return true }
        guard response.isChunked else {
            guard let length = response.contentLength else { return false }
            let rest = UnsafeRawBufferPointer(rebasing: bytes.prefix(length - response.received))
            if !rest.isEmpty { actions += received(body: rest, at: callbackTime).filter(\.isForReceiver) }
            return failure == nil && response.received == length
        }
        guard isFromStart else { return false }
        var frames = ChunkedFrames()
        frames.process(bytes) { actions += received(body: $0, at: callbackTime).filter(\.isForReceiver) }
        return failure == nil && frames.hasEnded
    }
}

extension TransferStateMachine.Action {
    /// Whether the action works without libcurl, which has finished with the transfer.
    fileprivate var isForReceiver: Bool {
        switch self {
        case .deliver, .reportSent: true
        default: false
        }
    }
}
