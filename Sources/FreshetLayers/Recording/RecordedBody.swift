import FreshetCore
import FreshetCrypto
import FreshetHTTP

/// What a recording knows of a request's body.
enum RecordedBody: Sendable {
    case whole([UInt8])
    /// A body over ``limit``: its beginning, and a digest of all of it, by which a replay finds it.
    case large(beginning: [UInt8], digest: String)
    /// A body that can be read only once, and is read while it is sent.
    case unread

    /// The largest part of a body in bytes that a recording keeps in memory.
    static let limit = 64 << 20

    /// The body, if it is in memory.
    init?(inMemory body: RequestBody) {
        guard let bytes = body.bytes else { return nil }
        guard bytes.count > Self.limit else {
            self = .whole(bytes)
            return
        }
        var reader = BodyReader()
        reader.add(bytes)
        self = reader.result
    }

    /// Reads a body that is not in memory before it is sent. A file can be read again for that.
    ///
    /// - Parameter files: runs the reading, which blocks.
    /// - Returns: the request with its body as it was read.
    static func read(
        _ request: Request, on files: any ImmediateSchedulerType
    ) -> Single<(request: Request, body: RecordedBody)> {
        guard request.body.isReplayable else { return .just((request, .unread)) }
        return Single.deferred { .just(try request.checked()) }.subscribe(on: files).flatMap { request in
            guard case .source(let source) = request.body else { return .just((request, .unread)) }
            let reader = Locked(BodyReader())
            return source.open(blockingOn: files).reduce(()) { _, piece in reader.withLock { $0.add(piece) } }
                .map { (request, reader.withLock { $0.result }) }.asSingle()
        }
    }

    /// The bytes in which secrets are looked for.
    var beginning: [UInt8] {
        switch self {
        case .whole(let bytes), .large(let bytes, _): bytes
        case .unread: []
        }
    }
}

/// Reads a body piece by piece, and keeps only its beginning.
private struct BodyReader: Sendable {
    private var beginning: [UInt8] = []
    private var digest: [UInt8] = []
    /// The end of the body that the digest does not contain yet.
    private var rest: [UInt8] = []
    private var isLarge = false

    private static let blockSize = 1 << 20

    mutating func add(_ piece: [UInt8]) {
        let room = RecordedBody.limit - beginning.count
        beginning += piece.prefix(room)
        if piece.count > room { isLarge = true }
        rest += piece
        var start = 0
        while rest.count - start >= Self.blockSize {
            digest = Digest.sha256(digest + rest[start..<start + Self.blockSize])
            start += Self.blockSize
        }
        rest.removeFirst(start)
    }

    var result: RecordedBody {
        guard isLarge else { return .whole(beginning) }
        let bytes = Digest.sha256(digest + rest)
        let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return .large(beginning: beginning, digest: text)
    }
}
