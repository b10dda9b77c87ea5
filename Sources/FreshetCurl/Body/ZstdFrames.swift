/// Follows the frames and blocks of the content coding `zstd` to their end, which needs no decoding.
///
/// Source: RFC 8878, section 3.1; the numbers are little-endian.
struct ZstdFrames {
    /// The part that comes next.
    private enum State {
        case magic
        case descriptor
        case header(left: Int)
        case blockHeader
        case block(left: Int, isLast: Bool)
        case checksum(left: Int)
        case skippableSize
        case skippable(left: Int)
        case invalid
    }

    private var state = State.magic
    private var hasChecksum = false
    /// The bytes of an incomplete number, and how many there are.
    private var number = 0
    private var digits = 0
    private var hasFrame = false

    var end: DataEndCheck.End {
        switch state {
        case .invalid: .unknown
        case .magic where hasFrame && digits == 0: .reached
        default: .pending
        }
    }

    mutating func process(_ bytes: UnsafeRawBufferPointer) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            switch state {
            case .magic:
                if let magic = read(4, of: &bytes) { begin(magic) }
            case .descriptor:
                if let descriptor = read(1, of: &bytes) { readDescriptor(descriptor) }
            case .header(let left):
                skip(left, of: &bytes, to: .blockHeader) { .header(left: $0) }
            case .blockHeader:
                if let header = read(3, of: &bytes) { readBlockHeader(header) }
            case .block(let left, let isLast):
                skip(left, of: &bytes, to: isLast ? afterLastBlock : .blockHeader) { .block(left: $0, isLast: isLast) }
            case .checksum(let left):
                skip(left, of: &bytes, to: .magic) { .checksum(left: $0) }
            case .skippableSize:
                if let size = read(4, of: &bytes) { state = size == 0 ? .magic : .skippable(left: size) }
            case .skippable(let left):
                skip(left, of: &bytes, to: .magic) { .skippable(left: $0) }
            case .invalid:
                return
            }
        }
    }

    /// Begins a frame by its magic number. Source: sections 3.1.1 and 3.1.2.
    private mutating func begin(_ magic: Int) {
        switch magic {
        case 0xFD2F_B528: state = .descriptor
        case 0x184D_2A50...0x184D_2A5F: state = .skippableSize
        default: state = .invalid
        }
        hasFrame = true
    }

    /// Reads the descriptor in a frame's header. Source: section 3.1.1.1.
    private mutating func readDescriptor(_ descriptor: Int) {
        let isSingleSegment = descriptor & 0x20 != 0
        guard descriptor & 0x08 == 0 else { return state = .invalid }
        hasChecksum = descriptor & 0x04 != 0
        let window = isSingleSegment ? 0 : 1
        let dictionary = [0, 1, 2, 4][descriptor & 3]
        let contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]
        let left = window + dictionary + contentSize
        state = .header(left: left)
    }

    /// Reads a block's header. Source: section 3.1.1.2.
    private mutating func readBlockHeader(_ header: Int) {
        let isLast = header & 1 != 0
        let size = header >> 3
        switch header >> 1 & 3 {
        // Raw and compressed blocks hold as many bytes as their size says.
        case 0, 2: state = .block(left: size, isLast: isLast)
        // The size of a run is how often its one byte is repeated.
        case 1: state = .block(left: 1, isLast: isLast)
        default: return state = .invalid
        }
        if case .block(0, _) = state { state = isLast ? afterLastBlock : .blockHeader }
    }

    private var afterLastBlock: State { hasChecksum ? .checksum(left: 4) : .magic }

    /// The next number of `count` bytes; `nil` until all of them have come.
    private mutating func read(_ count: Int, of bytes: inout Slice<UnsafeRawBufferPointer>) -> Int? {
        while digits < count {
            guard let byte = bytes.popFirst() else { return nil }
            number |= Int(byte) << (8 * digits)
            digits += 1
        }
        defer { (number, digits) = (0, 0) }
        return number
    }

    private mutating func skip(
        _ left: Int, of bytes: inout Slice<UnsafeRawBufferPointer>, to next: State, orStay same: (Int) -> State
    ) {
        let count = min(left, bytes.count)
        bytes.removeFirst(count)
        state = count == left ? next : same(left - count)
    }
}
