extension ObservableType {
    /// Emits the elements in groups, which are streams, one for each key. Source: RxSwift's `groupBy(keySelector:)`.
    ///
    ///     numbers.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key): \($0)" } }
    ///
    /// A group is emitted with its first element and lasts as long as the source, also without subscribers. An observer
    /// that subscribes to a group late or again receives the elements from then on. An error, also one that
    /// `keySelector` throws, ends all groups and then the stream of groups. The subscription to the source lasts as
    /// long as there is a subscriber to the stream of groups or to a group. The source is paused while all these
    /// subscribers are paused.
    @preconcurrency
    public func groupBy<Key: Hashable & SendableMetatype>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        asObservable().linear { GroupBySink(to: $0, keySelector) }
    }
}

private final class GroupBySink<Element, Key: Hashable>: Sink<Element> {
    private let downstream: Sink<GroupedObservable<Key, Element>>
    private let keySelector: (Element) throws -> Key
    private var groups: [Key: PublishSubject<Element>] = [:]
    /// The groups in the order in which they end.
    private var inOrder: [PublishSubject<Element>] = []
    private var parent = ParentSubscription(NopDisposable.shared)
    private var hasEnded = false

    init(to downstream: Sink<GroupedObservable<Key, Element>>, _ keySelector: @escaping (Element) throws -> Key) {
        self.downstream = downstream
        self.keySelector = keySelector
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        parent = ParentSubscription(subscription)
        downstream.begin(with: parent)
    }

    override func next(_ element: Element) {
        if hasEnded { return }
        do {
            let key = try keySelector(element)
            if let group = groups[key] { return group.onNext(element) }
            let group = PublishSubject<Element>()
            groups[key] = group
            inOrder.append(group)
            if !parent.isDisposed { downstream.next(GroupedObservable(key: key, source: group.streamOfChild(parent))) }
            group.onNext(element)
        } catch {
            end(with: .error(error), for: .error(error))
        }
    }

    override func error(_ error: any Error) { end(with: .error(error), for: .error(error)) }
    override func completed() { end(with: .completed, for: .completed) }

    private func end(with event: Event<GroupedObservable<Key, Element>>, for each: Event<Element>) {
        if hasEnded { return }
        hasEnded = true
        for group in inOrder { group.on(each) }
        if !parent.isDisposed { downstream.on(event) }
        parent.finish()
    }
}
