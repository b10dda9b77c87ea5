import FreshetHTTP

/// The progress of a body that libcurl decodes: how much of it has arrived, and whether its end was seen.
struct CodedBody {
    /// The number of bytes that have arrived, including the frames of chunks.
    private(set) var wireSize = 0
    /// The number of bytes that have arrived, without the frames.
    private(set) var size = 0
    private let coding: BodyCoding
    private let maximumRatio: Int?
    private let length: Int?
    /// The length of the body, if libcurl does not use it.
    private let end: Int?
    private(set) var chunks = ChunkedFrames(mayBeRemoved: RemovedChunkFrames.arePossible)
    /// The last four bytes, the newest in the lowest byte.
    private var tail: UInt32 = 0
    /// The size of gzip's header and trailer. The header alone can end with four zeros, which are the length of an empty body.
    private static let smallestGzip = 18
    /// Looks for the end of the data.
    private var endCheck: DataEndCheck?

    /// - Parameter length: the length that the head states.
    init(_ coding: BodyCoding, length: Int?, maximumRatio: Int?) {
        self.coding = coding
        self.length = length
        // libcurl reads to the end of the connection if the head names transfer codings and all of them are `identity`.
        end = coding.isTransferIdentity ? length : nil
        self.maximumRatio = maximumRatio
        endCheck = Self.only(of: coding).flatMap { DataEndCheck($0) }
    }

    private static func only(of coding: BodyCoding) -> String? {
        coding.count == 1 && !coding.isTransferCoded ? coding.last : nil
    }

    var isChunked: Bool { coding.isChunked }

    /// Whether the body is complete, although libcurl does not know it yet.
    var hasAll: Bool { end.map { size >= $0 } ?? false }

    /// The number of bytes that the data may have been decoded to by now.
    var allowance: Int {
        guard let maximumRatio else { return .max }
        let (product, isOver) = wireSize.multipliedReportingOverflow(by: maximumRatio)
        return isOver ? .max : max(TransferOptions.decodingRatioThreshold, product)
    }

    mutating func process(_ bytes: UnsafeRawBufferPointer) {
        wireSize += bytes.count
        guard coding.isChunked else {
            // libcurl reports surplus bytes too, and then drops them.
            let rest = length.map { max(0, $0 - size) } ?? .max
            return record(UnsafeRawBufferPointer(rebasing: bytes.prefix(rest)))
        }
        // A copy, because `record` changes this value while the frames are read.
        var chunks = chunks
        chunks.process(bytes) { record($0) }
        self.chunks = chunks
    }

    private mutating func record(_ bytes: UnsafeRawBufferPointer) {
        size += bytes.count
        for byte in bytes.suffix(4) { tail = tail << 8 | UInt32(byte) }
        let allowance = allowance
        endCheck?.process(bytes, limit: allowance)
    }

    /// Whether the data itself proves that all of it was decoded. Only gzip's data proves it.
    func isProvenWhole(decoded: Int) -> Bool {
        coding.count == 1 && !coding.isTransferCoded && (coding.last == "gzip" || coding.last == "x-gzip")
            && isWhole(decoded: decoded)
    }

    /// Whether the data has reached its own end, if that can be determined. libcurl's decoders do not report it.
    ///
    /// gzip ends with the length of the decoded data (RFC 1952, section 2.3.1).
    ///
    /// - Parameter decoded: how many bytes libcurl has decoded the data to.
    func isWhole(decoded: Int) -> Bool {
        guard size > 0, let only = Self.only(of: coding) else { return true }
        if let endCheck { return endCheck.end != .pending }
        if only == "gzip" || only == "x-gzip" {
            return size >= Self.smallestGzip && tail.byteSwapped == UInt32(truncatingIfNeeded: decoded)
        }
        // No coding needs more than a few bytes for an empty body.
        return decoded > 0 || size <= 16
    }
}
