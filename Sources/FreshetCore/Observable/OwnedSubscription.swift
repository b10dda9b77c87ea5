/// A sink, or the coordinator of several, that decides what the end and a pause of its subscription do.
protocol SubscriptionOwner: AnyObject {
    func dispose()
    func pause()
    func resume()
}

/// The subscription that downstream receives from such an owner.
// Unchecked: the three methods of an owner can be called on any thread. The owners are not `Sendable` themselves, because
// every class that inherits from one would be unchecked too.
final class OwnedSubscription: Pausable, @unchecked Sendable {
    private let owner: any SubscriptionOwner

    init(of owner: any SubscriptionOwner) {
        self.owner = owner
    }

    func dispose() { owner.dispose() }
    func pause() { owner.pause() }
    func resume() { owner.resume() }
}
