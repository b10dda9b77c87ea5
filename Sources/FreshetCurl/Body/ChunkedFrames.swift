/// Finds the data among the frames of a chunked body. libcurl checks the same frames, so this type reports no errors.
/// Source: RFC 9112 section 7.1.
struct ChunkedFrames {
    private enum State {
        case size, rest, data, end, trailers
    }

    private var state = State.size
    private var left = 0

    /// Whether the last chunk has come.
    var hasEnded: Bool { state == .trailers }

    mutating func process(_ bytes: UnsafeRawBufferPointer, data: (UnsafeRawBufferPointer) -> Void) {
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
