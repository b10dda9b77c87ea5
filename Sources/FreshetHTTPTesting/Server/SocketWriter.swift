/// What is to be sent on a socket and has not gone yet.
struct SocketWriter {
    enum Progress {
        case done, blocked, failed
    }

    private let socket: Socket
    private var sent = 0
    var waiting: [UInt8] = []

    /// Whoever makes more should stop at this.
    private static let highWater = 256 * 1024

    init(_ socket: Socket) {
        self.socket = socket
    }

    var isEmpty: Bool { sent == waiting.count }
    var isFull: Bool { waiting.count - sent >= Self.highWater }

    mutating func flush() -> Progress {
        while sent < waiting.count {
            switch waiting.withUnsafeBytes({ socket.send(.init(rebasing: $0[sent...])) }) {
            case .bytes(let count): sent += count
            case .wouldBlock: return .blocked
            case .ended, .failed: return .failed
            }
        }
        waiting.removeAll(keepingCapacity: waiting.count <= 16 * 1024)
        sent = 0
        return .done
    }
}
