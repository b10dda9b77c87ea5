/// The descriptor, the poll and the action at the loop's end of a stream that reads or writes a descriptor of the caller. It
/// belongs to the loop.
struct OpenDescriptor {
    let descriptor: BorrowedDescriptor
    /// `nil` for a file, which is read or written on libuv's thread pool.
    let poll: LoopPoll?
    private let ending: UInt64

    /// - Parameters:
    ///   - ended: called if the loop shuts down before ``close(on:)``.
    ///   - ready: called when the poll reports events.
    init(
        _ borrowed: Int32, for direction: BorrowedDescriptor.Direction, on loop: Loop,
        ended: @escaping () -> Void, ready: @escaping (LoopPoll.Events) -> Void
    ) throws {
        descriptor = try BorrowedDescriptor(borrowed, for: direction)
        poll = try descriptor.poll(on: loop, ready)
        ending = loop.atEnd(ended)
    }

    /// Stops watching. The descriptor is closed with the last reference to it, which a call in the pool can hold.
    func close(on loop: Loop) {
        poll?.close()
        loop.removeEnd(ending)
    }
}
