/// What is to be sent on a socket and has not gone yet.
struct SocketWriter {
    enum Progress {
        case done, blocked, failed
        /// No more may go for now.
        case paced
    }

    private let socket: Socket
    private var sent = 0
    var waiting: [UInt8] = []
    /// How many bytes may go; `nil` is all.
    var allowance: Int?
    /// How many have gone.
    private(set) var total = 0

    /// Whoever makes more should stop at this.
    private static let highWater = 256 * 1024

    init(_ socket: Socket) {
        self.socket = socket
    }

    var isEmpty: Bool { sent == waiting.count }
    var isFull: Bool { waiting.count - sent >= Self.highWater }

    /// Forgets what has not gone.
    mutating func clear() {
        waiting.removeAll()
        sent = 0
        allowance = nil
    }

    mutating func flush() -> Progress {
        while sent < waiting.count {
            if allowance == 0 { return .paced }
            let end = sent + min(waiting.count - sent, allowance ?? .max)
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
