import HTTPTypes

/// What a client's retriers want to see of answers before they are delivered.
final class Peeking: Sendable {
    let hasRetriers: Bool
    /// The lowest status with which one of them is asked.
    let from: Int
    private let most: @Sendable (HTTPResponse, Request) -> Int

    /// - Parameter most: how many bytes of an answer with this head; 0 is none.
    init(from: Int = 0, _ most: @escaping @Sendable (HTTPResponse, Request) -> Int) {
        hasRetriers = true
        self.from = from
        self.most = most
    }

    init(_ retriers: [any RequestInterceptor]) {
        hasRetriers = !retriers.isEmpty
        from = retriers.map { ($0 as? any RefusalRetrier)?.peeksFrom ?? 0 }.min() ?? .max
        most = { head, request in
            var most = 0
            for retrier in retriers {
                if case .body(let wanted) = retrier.peek(at: head, of: request) { most = max(most, wanted) }
            }
            return most
        }
    }

    func limit(_ head: HTTPResponse, _ status: Int, _ request: Request) -> Int {
        status < from ? 0 : most(head, request)
    }
}
