import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// How a body is encoded, as its head says.
struct BodyCoding {
    /// The last of the content codings that mean something, in lower case; `nil` if there is none.
    private(set) var last: String?
    private(set) var count = 0
    private(set) var isStated = false
    private(set) var isChunked = false
    /// libcurl undoes a compression that stands among the transfer codings, asked for or not.
    private(set) var isTransferCoded = false
    /// Whether transfer codings are named, and all of them are none.
    private(set) var isTransferIdentity = false
    /// Whether each of the transfer codings is one that HTTP knows.
    private(set) var isTransferKnown = true

    var isContentCoded: Bool { count > 0 }

    init() {}

    /// Source: RFC 9110 sections 8.4 and 8.4.1: the names are case-insensitive, and `identity` is none.
    init(_ fields: HTTPFields) {
        if fields.contains(.contentEncoding) {
            let names = Self.names(fields[values: .contentEncoding])
            isStated = true
            count = names.count
            last = names.last
        }
        if fields.contains(.transferEncoding) {
            let names = Self.names(fields[values: .transferEncoding])
            isChunked = names.contains("chunked")
            isTransferIdentity = names.isEmpty
            isTransferCoded = names.contains { $0 != "chunked" }
            if isTransferCoded { isTransferKnown = names.allSatisfy { Self.transferCodings.contains($0) } }
        }
    }

    /// Those that are registered, and the two that libcurl knows besides.
    private static let transferCodings = ["chunked", "gzip", "x-gzip", "deflate", "br", "zstd"]

    private static func names(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }
}

/// What is known of a body that libcurl decodes: what of it has come, and whether its end was seen. An object, for most
/// transfers have none.
final class CodedBody {
    /// Bytes that came, the frames of chunks included.
    @exclusivity(unchecked) private(set) var wireSize = 0
    /// The same without the frames.
    @exclusivity(unchecked) private(set) var size = 0
    private let coding: BodyCoding
    private let maximumRatio: Int?
    /// The length, where libcurl does not go by it.
    private let end: Int?
    @exclusivity(unchecked) private var chunks = ChunkedFrames()
    /// The last bytes, the newest in the lowest byte.
    @exclusivity(unchecked) private var tail: UInt32 = 0

    /// Looks for the end of what ends with its connection, where nothing else tells it.
    private let decoder: UnsafeMutablePointer<freshet_decoder>?

    /// - Parameters:
    ///   - length: the one that the head states.
    ///   - endsWithConnection: whether nothing tells how long the body is.
    init(_ coding: BodyCoding, length: Int?, maximumRatio: Int?, endsWithConnection: Bool) {
        self.coding = coding
        // What names its transfer codings, and names none, libcurl reads to the end of the connection.
        end = coding.isTransferIdentity ? length : nil
        self.maximumRatio = maximumRatio
        let isAlone = endsWithConnection && coding.count == 1 && !coding.isTransferCoded
        decoder = isAlone ? coding.last.flatMap { Self.decoded[$0] }.flatMap { freshet_decoder_make($0) } : nil
    }

    deinit {
        if let decoder { freshet_decoder_free(decoder) }
    }

    /// Those whose data does not tell its end without being decoded.
    private static let decoded = ["deflate": freshet_deflate, "br": freshet_brotli, "zstd": freshet_zstd]

    var isChunked: Bool { coding.isChunked }

    /// Whether all of the body has come and libcurl does not know it.
    var hasAll: Bool { end.map { size >= $0 } ?? false }

    /// How much may have been decoded by now.
    var allowance: Int {
        guard let maximumRatio else { return .max }
        let (product, isOver) = wireSize.multipliedReportingOverflow(by: maximumRatio)
        return isOver ? .max : max(TransferOptions.unpackedWithoutQuestion, product)
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
        wireSize += bytes.count
        if coding.isChunked {
            chunks.take(bytes) { note($0) }
        } else {
            note(bytes)
        }
    }

    private func note(_ bytes: UnsafeRawBufferPointer) {
        size += bytes.count
        if let decoder { freshet_decoder_take(decoder, bytes.baseAddress, bytes.count, UInt64(allowance)) }
        for byte in bytes.suffix(4) { tail = tail << 8 | UInt32(byte) }
    }

    /// Whether the body has come to its own end, as far as that can be known: gzip alone ends with its length (RFC 1952,
    /// section 2.3.1). The other decoders of libcurl do not tell, and their data does not without being decoded, which is done
    /// a second time where nothing but the end of the connection tells the end of the body.
    func isWhole(decoded: Int) -> Bool {
        if let decoder, size > 0 { return decoder.pointee.has_ended != 0 || decoder.pointee.has_failed != 0 }
        guard size > 0, coding.count == 1, !coding.isTransferCoded else { return true }
        // In the other codings nothing takes a few bytes.
        guard coding.last == "gzip" || coding.last == "x-gzip" else { return decoded > 0 || size <= 16 }
        return tail.byteSwapped == UInt32(truncatingIfNeeded: decoded)
    }
}

/// Finds the data among the frames of a chunked body that libcurl checks at the same time; so what is wrong here is of no
/// consequence. Source: RFC 9112 section 7.1.
struct ChunkedFrames {
    private enum State {
        case size, rest, data, end, trailers
    }

    private var state = State.size
    private var left = 0

    /// Whether the last chunk has come.
    var hasEnded: Bool { state == .trailers }

    mutating func take(_ bytes: UnsafeRawBufferPointer, data: (UnsafeRawBufferPointer) -> Void) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch state {
            case .size:
                if let digit = Character(UnicodeScalar(byte)).hexDigitValue, left < 1 << 55 {
                    left = left << 4 | digit
                } else {
                    state = .rest
                    continue
                }
                index += 1
            case .rest:
                index += 1
                if byte == UInt8(ascii: "\n") { state = left > 0 ? .data : .trailers }
            case .data:
                let count = min(left, bytes.count - index)
                data(UnsafeRawBufferPointer(rebasing: bytes[index..<index + count]))
                index += count
                left -= count
                if left == 0 { state = .end }
            case .end:
                index += 1
                if byte == UInt8(ascii: "\n") { state = .size }
            case .trailers:
                return
            }
        }
    }
}
