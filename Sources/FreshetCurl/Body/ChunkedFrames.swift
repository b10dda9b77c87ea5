/// Finds the data among the frames of a chunked body. libcurl checks the same frames, so this type reports no errors.
/// Source: RFC 9112 section 7.1.
///
/// libcurl may have removed the frames; see ``RemovedChunkFrames``.
struct ChunkedFrames {
    private enum State {
        case firstSize, size, rest, data, end, trailers, trailer, complete, withoutFrames
    }

    private var state: State
    private var left = 0
    /// The first bytes, as long as they can be a size or data.
    private var firstBytes: [UInt8] = []

    /// - Parameter mayBeRemoved: whether libcurl may have removed the frames.
    init(mayBeRemoved: Bool = false) { state = mayBeRemoved ? .firstSize : .size }

    /// Whether the last chunk has come.
    var hasEnded: Bool { state == .trailers || state == .trailer || state == .complete }

    /// Whether the body is complete with its trailers; `nil` if that is unknown, because there are no frames.
    var isComplete: Bool? { state == .firstSize || state == .withoutFrames ? nil : state == .complete }

    mutating func process(_ bytes: UnsafeRawBufferPointer, data: (UnsafeRawBufferPointer) -> Void) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch state {
            case .firstSize:
                if let digit = Self.hexDigit(byte), firstBytes.count < 16 {
                    firstBytes.append(byte)
                    left = left << 4 | digit
                    index += 1
                } else if !firstBytes.isEmpty, Self.canFollowSize(byte) {
                    state = .rest
                } else {
                    state = .withoutFrames
                    if !firstBytes.isEmpty { firstBytes.withUnsafeBytes(data) }
                }
            case .withoutFrames: return data(UnsafeRawBufferPointer(rebasing: bytes[index...]))
            case .size:
                if let digit = Self.hexDigit(byte), left < 1 << 55 {
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
            case .trailers, .trailer:
                // The trailers end with an empty line.
                index += 1
                if byte == UInt8(ascii: "\n") {
                    state = state == .trailers ? .complete : .trailers
                } else if byte != UInt8(ascii: "\r") {
                    state = .trailer
                }
            case .complete:
                return
            }
        }
    }

    private static func hexDigit(_ byte: UInt8) -> Int? { Character(UnicodeScalar(byte)).hexDigitValue }

    private static func canFollowSize(_ byte: UInt8) -> Bool { "\r\n; \t".utf8.contains(byte) }
}
