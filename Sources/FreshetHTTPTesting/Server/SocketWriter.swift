/// The bytes that are still to be sent on a socket.
struct SocketWriter {
    enum Progress {
        case done, blocked, failed
        /// The pace of the response allows no more bytes now.
        case paced
    }

    private let socket: Socket
    private var sent = 0
    var waiting: [UInt8] = []
    /// The number of bytes that may be sent; `nil` allows all.
    var allowance: Int?
    /// The number of bytes that were sent.
    private(set) var total = 0

    /// The number of waiting bytes at which the producer should pause.
    private static let highWater = 256 * 1024

    init(_ socket: Socket) {
        self.socket = socket
    }

    var isEmpty: Bool { sent == waiting.count }
    /// The number of bytes that are not sent.
    var count: Int { waiting.count - sent }
    var isFull: Bool { count >= Self.highWater }

    /// Drops the bytes that are not sent.
    mutating func clear() {
        waiting.removeAll()
        sent = 0
        allowance = nil
    }

    mutating func flush() -> Progress {
        while sent < waiting.count {
            if allowance == 0 { return .paced }
            let end = sent + min(count, allowance ?? .max)
            switch waiting.withUnsafeBytes({ socket.send(.init(rebasing: $0[sent..<end])) }) {
            case .bytes(let count):
                sent += count
                total += count
                if let left = allowance { allowance = left - count }
            case .wouldBlock: return .blocked
            case .ended, .failed: return .failed
            }
        }
        waiting.removeAll(keepingCapacity: waiting.count <= 16 * 1024)
        sent = 0
        return .done
    }
}
