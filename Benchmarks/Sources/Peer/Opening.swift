/// Streams that are being opened, so many at a time that no listener's queue overflows.
public actor Opening {
    private let atOnce = 256
    private let count: Int
    private var begun = 0
    private var open = 0
    private var lost = 0
    private var waiting: CheckedContinuation<Void, Never>?

    public init(_ count: Int) {
        self.count = count
    }

    /// Waits until one more may be begun. One task's alone.
    public func place() async {
        if begun - open - lost >= atOnce { await wait() }
        begun += 1
    }

    /// Waits until all are open.
    ///
    /// - Returns: how many have been lost.
    public func end() async -> Int {
        while open + lost < count { await wait() }
        return lost
    }

    private func wait() async {
        await withCheckedContinuation { waiting = $0 }
    }

    public nonisolated func opened() { Task { await add(open: 1, lost: 0) } }
    public nonisolated func failed() { Task { await add(open: 0, lost: 1) } }

    private func add(open: Int, lost: Int) {
        self.open += open
        self.lost += lost
        waiting?.resume()
        waiting = nil
    }
}
