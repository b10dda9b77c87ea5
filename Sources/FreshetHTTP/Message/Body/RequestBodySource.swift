public import FreshetCore
import Synchronization

/// The source of a body that is read while it is sent.
///
/// Two sources in memory are equal if they hold the same bytes and the same type. Any other source is equal only to itself.
public final class RequestBodySource: Sendable {
    /// What the source reads, as far as another program could read it too.
    enum Contents: Sendable {
        /// The file with this path, or these bytes of it.
        case file(String, range: Range<Int>?)
        /// One body after the other.
        case sequence([RequestBody])
    }

    /// The exact number of bytes that the source yields; `nil` if it is known only at the end.
    public let length: Int?
    /// Whether the source can be opened again. Otherwise the second subscription fails with `invalidRequest`.
    public let isReplayable: Bool
    /// The `Content-Type` of the request, if its headers name none.
    public let contentType: String?
    let bytes: [UInt8]?
    let contents: Contents?
    /// Returns the body to send in place of this one; `nil` if that is this one.
    private let inspect: (@Sendable () throws -> RequestBodySource?)?
    private let make: @Sendable (any ImmediateSchedulerType) -> Observable<[UInt8]>
    private let isOpened = Atomic<Bool>(false)

    /// Makes a source whose pieces come from `open`.
    ///
    /// - Parameters:
    ///   - length: the length of the body in bytes, if it is known.
    ///   - isReplayable: whether `open` can be called again, for another attempt.
    ///   - contentType: the `Content-Type` of the request, if its headers name none.
    ///   - check: finds problems of the body before it is sent, such as a missing file. It may block. A source around another
    ///     one takes that from ``Request/checked()``, because a file can have another size by then.
    ///   - open: returns the pieces of the body. The client subscribes to them when the request goes out, pauses them while the
    ///     network is behind, and disposes of them if the request ends first. Work that blocks has to run on the scheduler that
    ///     `open` gets.
    @preconcurrency
    public convenience init(
        length: Int? = nil, isReplayable: Bool, contentType: String? = nil,
        check: (@Sendable () throws -> Void)? = nil,
        open: @escaping @Sendable (any ImmediateSchedulerType) -> Observable<[UInt8]>
    ) {
        var inspect: (@Sendable () throws -> RequestBodySource?)?
        if let check {
            inspect = {
                try check()
                return nil
            }
        }
        self.init(
            contents: nil, length: length, isReplayable: isReplayable, contentType: contentType, check: inspect,
            open: open)
    }

    init(
        contents: Contents?, length: Int?, isReplayable: Bool, contentType: String?,
        check: (@Sendable () throws -> RequestBodySource?)?,
        open: @escaping @Sendable (any ImmediateSchedulerType) -> Observable<[UInt8]>
    ) {
        self.contents = contents
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
        contents = nil
        inspect = nil
        make = { _ in .just(bytes) }
    }

    /// Whether ``check()`` has anything to check.
    public var isChecked: Bool { inspect != nil }

    /// Checks the body before anything is sent. It may block, so it has to run on a scheduler that may be blocked.
    ///
    /// - Returns: the body to send: this one, or one with another length if a file has another size by now.
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`, or the error of the source's own check.
    public func check() throws -> RequestBodySource { try inspect?() ?? self }

    /// Emits the pieces of the body. Pausing the subscription pauses the source.
    ///
    /// The stream fails with the source's own error, or with `invalidRequest` if the source yields fewer or more bytes than its
    /// length.
    ///
    /// - Parameter scheduler: where work that blocks runs, such as reading a file; by default it runs within the call.
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

/// Checks that a source yields as many bytes as it has announced. Each subscription has its own meter.
private final class LengthMeter: Sendable {
    private let length: Int
    private let taken = Atomic<Int>(0)

    init(_ length: Int) {
        self.length = length
    }

    func take(_ piece: [UInt8]) throws -> [UInt8] {
        guard taken.wrappingAdd(piece.count, ordering: .relaxed).newValue <= length else {
            throw RequestBodySource.failure(
                "the body has more than the \(length) bytes that were announced", "state the right length, or none")
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

extension HTTPClientError {
    /// The failure of a request whose body can't be read.
    package init(ofBody error: any Error, _ phase: Phase, _ origin: String) {
        self =
            error as? HTTPClientError
            ?? HTTPClientError(
                .invalidRequest, phase: phase,
                message: "the body could not be read to its end", recoverySuggestion: "see the underlying error",
                underlying: error)
        if self.origin.isEmpty { self.origin = origin }
        self.phase = phase
        isUnsent = phase == .preparing
    }
}
