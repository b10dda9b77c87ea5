import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

/// The body of a transfer on its way to libcurl, which asks for it piece by piece.
///
/// On the loop alone; the pieces may come from anywhere.
final class CurlUpload {
    /// How many bytes wait at most between a source that can be paused and the network, but for the last piece.
    static let limits = 64 * 1024...256 * 1024
    /// What is larger than this is not copied before it is sent.
    static let copyLimit = 64 * 1024

    enum Portion {
        case bytes(Int)
        /// There is nothing yet; libcurl waits until it is woken.
        case later
        case end
        case failed(any Error)
    }

    let source: RequestBodySource
    /// How many bytes of it libcurl has, of this sending.
    private(set) var taken = 0
    /// The connection that it goes out on, as far as that is known.
    var socket = freshet_socket_bad
    /// libcurl was told to wait.
    var isPaused = false
    /// There is an answer, and no more of the body is wanted.
    private var isCut = false
    private var pieces: PullBuffer<[UInt8]>?
    private var piece: [UInt8] = []
    private var position = 0
    private let scheduler: BlockingScheduler
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called, on any thread, when there is something after a portion that was ``Portion/later``.
    init(_ source: RequestBodySource, on loop: Loop, wake: @escaping @Sendable () -> Void) {
        self.source = source
        self.wake = wake
        scheduler = BlockingScheduler(on: loop)
    }

    deinit { pieces?.dispose() }

    /// Puts the next bytes into `buffer`. The first time, it subscribes to the source.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        if isCut { return .end }
        let pieces = opened()
        var filled = 0
        while filled < buffer.count {
            if position == piece.count {
                switch pieces.pull() {
                case .element(let next): (piece, position) = (next, 0)
                case .nothing where filled == 0: return .later
                case .ended(nil) where filled == 0: return .end
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

    /// Begins anew, as libcurl does on another connection when a kept one was dead.
    func rewind() {
        guard pieces != nil else { return }
        precondition(canRewind, "a body was read again that can be read once")
        stop()
        isPaused = false
    }

    /// Whether it can begin anew.
    var canRewind: Bool { pieces == nil || source.isReplayable }

    /// No more of the body is to be sent.
    func cut() {
        isCut = true
        stop()
    }

    /// Ends the subscription.
    func stop() {
        pieces?.dispose()
        pieces = nil
        (piece, position, taken) = ([], 0, isCut ? taken : 0)
    }
}
