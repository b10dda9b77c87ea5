/// A way for elements from the thread that sends them to another one.
public struct Hop {
    public let send: (Int) -> Void
    public let end: () -> Void

    public init(send: @escaping (Int) -> Void, end: @escaping () -> Void) {
        self.send = send
        self.end = end
    }
}

/// Makes a hop; `receive` is called on the other thread.
public typealias MakeHop = @Sendable (_ receive: @escaping @Sendable (Int) -> Void) -> Hop
