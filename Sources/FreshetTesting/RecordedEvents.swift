public import FreshetCore

/// A type that is a ``Recorded``. The helpers for recordings of any element type extend it.
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
    /// The recorded elements, in order.
    public var elements: [Element] { events.elements }

    /// The recorded error or completion, or `nil` if the stream has not ended.
    public var stopEvent: Recorded<Event<Element>>? { events.stopEvent }
}
