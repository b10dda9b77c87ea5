import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

/// The body of a transfer. libcurl asks for it piece by piece.
///
/// Used on the loop only. The source can emit the pieces on any thread.
final class CurlUpload {
    /// The bytes that wait for the network: the source is paused at the upper bound, and resumed at the lower one. The last piece
    /// can exceed the upper bound.
    static let limits = 64 * 1024...256 * 1024
    /// The size up to which a body is copied before it is sent.
    static let copyLimit = 64 * 1024

    enum Portion {
        case bytes(Int)
        /// There are no bytes yet. libcurl waits until it is woken.
        case later
        case end
        case failed(any Error)
    }

    let source: RequestBodySource
    /// The number of bytes that libcurl has taken since it last began to send the body.
    private(set) var taken = 0
    /// What libcurl counted as sent when it first asked for the body: the head, or nothing yet.
    var sizeBeforeBody = 0
    /// The socket that the body is sent on, if it is known.
    var socket = freshet_socket_bad
    /// Whether libcurl was told to wait.
    var isPaused = false
    /// Whether libcurl has got the end of the body.
    private var hasEnded = false
    /// Whether a response has arrived, so that the rest of the body is not sent.
    private var isCut = false
    private var pieces: PullBuffer<[UInt8]>?
    private var piece: [UInt8] = []
    private var position = 0
    private let scheduler: BlockingScheduler
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called on any thread when bytes are available again after a ``Portion/later``.
    init(_ source: RequestBodySource, on loop: Loop, wake: @escaping @Sendable () -> Void) {
        self.source = source
        self.wake = wake
        scheduler = BlockingScheduler(on: loop)
    }

    deinit { pieces?.dispose() }

    /// Writes the next bytes into `buffer`. The first call subscribes to the source.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        if isCut { return .end }
        let pieces = opened()
        var filled = 0
        while filled < buffer.count {
            if position == piece.count {
                switch pieces.pull() {
                case .element(let next): (piece, position) = (next, 0)
                case .nothing where filled == 0: return .later
                case .ended(nil) where filled == 0:
                    hasEnded = true
                    return .end
                case .ended(let error?): return .failed(error)
                case .nothing, .ended: return .bytes(filled)
                }
            }
            filled += copy(to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        }
        return .bytes(filled)
    }

    private func opened() -> PullBuffer<[UInt8]> {
        if let pieces { return pieces }
        let pieces = PullBuffer<[UInt8]>(limits: Self.limits, size: { $0.count }, onRefill: wake)
        self.pieces = pieces
        pieces.fill(from: source.open(blockingOn: scheduler))
        return pieces
    }

    private func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, piece.count - position)
        piece.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
        }
        position += count
        taken += count
        return count
    }

    /// Starts the body from its beginning. libcurl does that on another connection when a kept one was dead.
    func rewind() {
        guard pieces != nil else { return }
        precondition(canRewind, "a body was read again that can be read once")
        stop()
        isPaused = false
    }

    /// Whether the body can start from its beginning.
    var canRewind: Bool { pieces == nil || source.isReplayable }

    /// Whether libcurl has the whole body.
    var isTaken: Bool { hasEnded || source.length.map { taken >= $0 } == true }

    /// Ends the body, because the rest of it is not sent.
    func cut() {
        isCut = true
        stop()
    }

    /// Ends the subscription.
    func stop() {
        pieces?.dispose()
        pieces = nil
        (piece, position, taken, hasEnded) = ([], 0, isCut ? taken : 0, false)
    }
}
