import CFreshetCurl

/// Collects the header lines of a response until its head ends. libcurl hands out one line at a time, and most responses
/// have about ten.
///
/// The first line is handed on at once, because the response begins with it. The lines after it are handed on together.
// The storage is separate memory, so that a line that only waits does not touch the transfer. That saves 5,000 of 107,000
// instructions of a response of 200 bytes.
struct HeadBuffer: ~Copyable {
    private struct Storage {
        var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        var count = 0
        var isInHead = false
        /// When the latest line came, in milliseconds of the loop's clock.
        var time: TransferStateMachine.Milliseconds = 0
    }

    /// The lines are handed on when they have more bytes than this.
    private static let limit = 16 * 1024

    private let storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)

    init() { storage.initialize(to: Storage()) }

    deinit {
        storage.pointee.bytes.deallocate()
        storage.deallocate()
    }

    /// When the latest line came, in milliseconds of the loop's clock.
    var time: TransferStateMachine.Milliseconds { storage.pointee.time }

    /// Adds a line.
    ///
    /// - Returns: the lines that are handed on, valid until the next call; `nil` if they wait for more.
    func append(
        _ line: UnsafeRawBufferPointer, at time: TransferStateMachine.Milliseconds
    ) -> UnsafeRawBufferPointer? {
        storage.pointee.time = time
        guard storage.pointee.isInHead else {
            storage.pointee.isInHead = true
            return line
        }
        // libcurl treats such a line as the end of the head, even if more text follows on the line.
        let isLast = line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n")
        copy(line)
        if isLast { storage.pointee.isInHead = false }
        return isLast || storage.pointee.count > Self.limit ? removeAll() : nil
    }

    /// Removes the lines that wait: trailers, or a head that was cut short.
    func removeAll() -> UnsafeRawBufferPointer? {
        let count = storage.pointee.count
        storage.pointee.count = 0
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: storage.pointee.bytes[..<count])
    }

    /// Prepares for the response to another request.
    func reset() {
        storage.pointee.count = 0
        storage.pointee.isInHead = false
        storage.pointee.time = 0
    }

    /// Frees the memory, unless lines wait.
    func free() {
        guard storage.pointee.count == 0 else { return }
        storage.pointee.bytes.deallocate()
        storage.pointee.bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private func copy(_ line: UnsafeRawBufferPointer) {
        let (bytes, count) = (storage.pointee.bytes, storage.pointee.count)
        if count + line.count > bytes.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(1024, 2 * (count + line.count)), alignment: 1)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            bytes.deallocate()
            storage.pointee.bytes = larger
        }
        UnsafeMutableRawBufferPointer(rebasing: storage.pointee.bytes[count...]).copyMemory(from: line)
        storage.pointee.count = count + line.count
    }
}
