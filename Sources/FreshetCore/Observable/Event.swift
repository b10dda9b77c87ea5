/// One event of a stream. A stream emits `next* (error | completed)?`.
///
/// Source: RxSwift's `Event`.
@frozen
public enum Event<Element> {
    /// The next element.
    case next(Element)
    /// The stream has failed; nothing follows.
    case error(any Error)
    /// The stream has ended; nothing follows.
    case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event {
    /// Whether the stream ends with this event.
    @inlinable
    public var isStopEvent: Bool {
        switch self {
        case .next: false
        case .error, .completed: true
        }
    }

    /// The element of a `next` event, otherwise `nil`.
    @inlinable
    public var element: Element? {
        if case .next(let element) = self { element } else { nil }
    }

    /// The error of an `error` event, otherwise `nil`.
    @inlinable
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }

    @inlinable
    public var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }

    /// Returns the event with its element transformed. If `transform` throws, the result is an error event with the
    /// thrown error.
    @inlinable
    public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
        do {
            switch self {
            case .next(let element): return .next(try transform(element))
            case .error(let error): return .error(error)
            case .completed: return .completed
            }
        } catch {
            return .error(error)
        }
    }
}

/// Compares elements with `==`, and errors by their `String(reflecting:)`.
extension Event: Equatable where Element: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.next(let left), .next(let right)): left == right
        case (.error(let left), .error(let right)): String(reflecting: left) == String(reflecting: right)
        case (.completed, .completed): true
        default: false
        }
    }
}

extension Event: CustomDebugStringConvertible {
    public var debugDescription: String {
        switch self {
        case .next(let element): "next(\(element))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// A value that converts to an event. See `dematerialize()`.
public protocol EventConvertible<Element> {
    associatedtype Element
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    @inlinable
    public var event: Event<Element> { self }
}
