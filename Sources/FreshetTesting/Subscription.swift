/// The virtual times at which an observer subscribed and unsubscribed. Source: RxTest's `Subscription`.
public struct Subscription: Hashable, Sendable {
    public let subscribe: TestTime
    /// The time of unsubscribing, or `Int.max` while the subscription lasts.
    public let unsubscribe: TestTime

    public init(_ subscribe: TestTime) {
        self.init(subscribe, .max)
    }

    public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription: CustomDebugStringConvertible {
    public var debugDescription: String {
        "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
    }
}
