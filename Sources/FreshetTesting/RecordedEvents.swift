public import FreshetCore

/// What is a ``Recorded``; for the helpers on recordings, whatever their element.
public protocol RecordedType<Value> {
    associatedtype Value

    var time: TestTime { get }
    var value: Value { get }
}

extension Recorded: RecordedType {}

extension Sequence where Element: RecordedType, Element.Value: EventConvertible {
    /// The elements, without their times.
    public var elements: [Element.Value.Element] { compactMap(\.value.event.element) }

    /// The first error or completion, if there is one.
    public var stopEvent: Element? { first { $0.value.event.isStopEvent } }
}

extension TestableObserver {
    /// The elements that have come, in order.
    public var elements: [Element] { events.elements }

    /// How the stream has ended, if it has.
    public var stopEvent: Recorded<Event<Element>>? { events.stopEvent }
}
