/// From when until when somebody was subscribed, in virtual time. Source: RxTest's `Subscription`.
public struct Subscription: Hashable, Sendable {
    public let subscribe: TestTime
    /// `Int.max` while it lasts.
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
