import FreshetCore
import FreshetLoop
import Glibc
import XCTest

/// A test with a loop and descriptors of its own. At its end it closes the descriptors, and fails if resources are left.
class DescriptorTestCase: ResourceTestCase {
    private(set) var loop: Loop!
    private var descriptors: Set<Int32> = []

    override func setUpWithError() throws {
        try super.setUpWithError()
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    /// Closes `descriptor` at the end of the test.
    func own(_ descriptor: Int32) throws -> Int32 {
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        descriptors.insert(descriptor)
        return descriptor
    }

    func closeNow(_ descriptor: Int32) {
        descriptors.remove(descriptor)
        close(descriptor)
    }

    func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(pipe(&ends), 0)
        return (try own(ends[0]), try own(ends[1]))
    }

    func makeSockets() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, streamSocket, 0, &ends), 0)
        return (try own(ends[0]), try own(ends[1]))
    }

    func isBlocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 }

    /// Waits until the loop has run all the work submitted before.
    func settle() {
        let done = DispatchSemaphore(value: 0)
        loop.execute { done.signal() }
        done.wait()
    }
}

/// Records the events of a stream. Any thread may read them.
final class ElementRecorder<Element>: ObserverType, @unchecked Sendable {
    private let lock = NSLock()
    private var events: [Event<Element>] = []

    func on(_ event: Event<Element>) {
        lock.withLock { events.append(event) }
    }

    var elements: [Element] { lock.withLock { events.compactMap(\.element) } }
    var isCompleted: Bool { lock.withLock { events.contains { $0.isCompleted } } }
    var error: (any Error)? { lock.withLock { events.lazy.compactMap(\.error).first } }
    var isOver: Bool { isCompleted || error != nil }
}

extension ElementRecorder where Element == [UInt8] {
    var text: String { String(decoding: elements.joined(), as: UTF8.self) }
}

func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    XCTAssertEqual(Glibc.write(descriptor, bytes, bytes.count), bytes.count)
}

func readSome(from descriptor: Int32, upTo count: Int = 1 << 16) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = max(0, read(descriptor, buffer.baseAddress, count))
    }
}

/// Reads everything up to the end.
func readToEnd(from descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    while true {
        let piece = readSome(from: descriptor)
        if piece.isEmpty { return all }
        all += piece
    }
}
