public import FreshetCore
import Synchronization

/// Where a body comes from that is read as it is sent.
///
/// Two sources in memory are equal if they hold the same; any other is equal to itself alone.
public final class RequestBodySource: Sendable {
    /// How many bytes it yields, neither fewer nor more; `nil` if that shows at its end only.
    public let length: Int?
    /// Whether it can be opened again. Else the second subscription fails with `invalidRequest`.
    public let isReplayable: Bool
    /// What goes out as `Content-Type` if the request's headers name none.
    public let contentType: String?
    let bytes: [UInt8]?
    /// The file that is all of it, if one is.
    let path: String?
    private let inspect: (@Sendable () throws -> Void)?
    private let make: @Sendable (any ImmediateSchedulerType) -> Observable<[UInt8]>
    private let isOpened = Atomic<Bool>(false)

    /// A body whose pieces `open` yields.
    ///
    /// - Parameters:
    ///   - length: how many bytes there are in all, if that is known.
    ///   - isReplayable: whether `open` can be called again, for another attempt.
    ///   - contentType: what goes out as `Content-Type`, if the headers name none.
    ///   - check: what can be found wrong with it before it is sent, such as a file that is missing. May block.
    ///   - open: the body's pieces; it is subscribed to as the request goes out, paused while the network is behind,
    ///     and disposed of if the request ends before it does. What blocks, it does on the scheduler that it is given.
    @preconcurrency
    public convenience init(
        length: Int? = nil, isReplayable: Bool, contentType: String? = nil,
        check: (@Sendable () throws -> Void)? = nil,
        open: @escaping @Sendable (any ImmediateSchedulerType) -> Observable<[UInt8]>
    ) {
        self.init(
            path: nil, length: length, isReplayable: isReplayable, contentType: contentType, check: check, open: open)
    }

    init(
        path: String?, length: Int?, isReplayable: Bool, contentType: String?, check: (@Sendable () throws -> Void)?,
        open: @escaping @Sendable (any ImmediateSchedulerType) -> Observable<[UInt8]>
    ) {
        self.path = path
        self.length = length
        self.isReplayable = isReplayable
        self.contentType = contentType
        bytes = nil
        inspect = check
        make = open
    }

    init(bytes: [UInt8], contentType: String?) {
        length = bytes.count
        isReplayable = true
        self.contentType = contentType
        self.bytes = bytes
        path = nil
        inspect = nil
        make = { _ in .just(bytes) }
    }

    /// Whether there is anything to ``check()``.
    public var isChecked: Bool { inspect != nil }

    /// Finds out what is wrong with it before anything is sent. May block: for a scheduler that bears that.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`, or whatever the source's own check throws.
    public func check() throws {
        try inspect?()
    }

    /// Its pieces, when somebody subscribes; pausing holds it.
    ///
    /// Ends with the source's own error, or with `invalidRequest` if it yields fewer or more bytes than its length.
    ///
    /// - Parameter scheduler: where it does what blocks, such as reading a file; by default within the call.
    public func open(
        blockingOn scheduler: any ImmediateSchedulerType = ImmediateScheduler.instance
    ) -> Observable<[UInt8]> {
        .deferred {
            guard self.isReplayable || !self.isOpened.exchange(true, ordering: .acquiringAndReleasing) else {
                throw Self.failure(
                    "the body can be read once only, and has been", "give it as one that can be replayed")
            }
            let pieces = self.make(scheduler)
            guard let length = self.length, self.bytes == nil else { return pieces }
            let meter = LengthMeter(length)
            return pieces.map { try meter.take($0) }.concat(Observable.deferred { try meter.end() })
        }
    }

    static func failure(_ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion) -> HTTPClientError
    {
        HTTPClientError(.invalidRequest, phase: .sending, message: message, recoverySuggestion: recoverySuggestion)
    }
}

extension RequestBodySource: Hashable {
    public static func == (left: RequestBodySource, right: RequestBodySource) -> Bool {
        if left === right { return true }
        guard let bytes = left.bytes, let others = right.bytes else { return false }
        return bytes == others && left.contentType == right.contentType
    }

    public func hash(into hasher: inout Hasher) {
        if let bytes { hasher.combine(bytes) } else { hasher.combine(ObjectIdentifier(self)) }
    }
}

/// Holds a source to its length. One a subscription.
private final class LengthMeter: Sendable {
    private let length: Int
    private let taken = Atomic<Int>(0)

    init(_ length: Int) {
        self.length = length
    }

    func take(_ piece: [UInt8]) throws -> [UInt8] {
        guard taken.wrappingAdd(piece.count, ordering: .relaxed).newValue <= length else {
            throw RequestBodySource.failure(
                "the body has more than the \(length) bytes that were announced", "state its length right, or none")
        }
        return piece
    }

    func end() throws -> Observable<[UInt8]> {
        let taken = taken.load(ordering: .relaxed)
        guard taken == length else {
            throw RequestBodySource.failure(
                "the body has ended after \(taken) of the \(length) bytes that were announced", "see what shortened it")
        }
        return .empty()
    }
}
