import FreshetCore
import FreshetLoop
import Glibc
import XCTest

final class LoopInputTests: DescriptorTestCase {
    func testAPipeIsReadToItsEndAsDataArrives() throws {
        let (reading, writing) = try makePipe()
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: reading).subscribe(recorder)
        write("one ", to: writing)
        waitUntil("the first words are there") { recorder.text == "one " }
        write("two", to: writing)
        closeNow(writing)
        waitUntil("it ends") { recorder.isCompleted }
        XCTAssertEqual(recorder.text, "one two")
        subscription.dispose()
    }

    func testTheModeOfASharedDescriptorIsNotChanged() throws {
        let pipe = try makePipe()
        let sockets = try makeSockets()
        let terminal = try Terminal()
        for descriptor in [pipe.reading, sockets.0, terminal.end.fileDescriptor] {
            let recorder = ElementRecorder<[UInt8]>()
            let subscription = loop.bytes(from: descriptor).subscribe(recorder)
            settle()
            XCTAssertTrue(isBlocking(descriptor), "meanwhile")
            subscription.dispose()
            settle()
            XCTAssertTrue(isBlocking(descriptor), "afterwards")
        }
    }

    func testAChangedModeIsRestored() throws {
        // The other end of a terminal can't be opened again.
        let keyboard = try own(open("/dev/ptmx", O_RDWR | O_NOCTTY))
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: keyboard).subscribe(recorder)
        settle()
        XCTAssertFalse(isBlocking(keyboard))
        subscription.dispose()
        settle()
        XCTAssertTrue(isBlocking(keyboard))
    }

    func testANonBlockingModeIsKept() throws {
        let (one, other) = try makeSockets()
        XCTAssertEqual(fcntl(one, F_SETFL, O_NONBLOCK), 0)
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: one).subscribe(recorder)
        write("a", to: other)
        waitUntil("it came") { recorder.text == "a" }
        subscription.dispose()
        settle()
        XCTAssertFalse(isBlocking(one))
    }

    func testATerminalIsReadLineByLine() throws {
        let terminal = try Terminal()
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: terminal.end.fileDescriptor).subscribe(recorder)
        try terminal.type("hello\n")
        waitUntil("the line is there") { recorder.text == "hello\n" }
        try terminal.type("\u{4}")
        waitUntil("it ends") { recorder.isCompleted }
        subscription.dispose()
    }

    func testASocketIsReadUntilTheOtherSideShutsDown() throws {
        let (one, other) = try makeSockets()
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: one).subscribe(recorder)
        write("ab", to: other)
        waitUntil("it came") { recorder.text == "ab" }
        shutdown(other, Int32(SHUT_WR))
        waitUntil("it ends") { recorder.isCompleted }
        subscription.dispose()
    }

    func testAFileIsReadFromItsCurrentOffset() throws {
        let path = try temporaryFile(String(repeating: "0123456789", count: 100_000))
        let file = try own(open(path, O_RDONLY))
        lseek(file, 5, SEEK_SET)
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: file).subscribe(recorder)
        waitUntil("it ends") { recorder.isCompleted }
        XCTAssertEqual(recorder.elements.map(\.count).reduce(0, +), 999_995)
        XCTAssertTrue(recorder.text.hasPrefix("56789012"))
        XCTAssertTrue(recorder.elements.allSatisfy { $0.count <= 64 * 1024 })
        subscription.dispose()
    }

    func testADeviceThatIsAlwaysReadyIsRead() throws {
        let null = try own(open("/dev/null", O_RDWR))
        let recorder = ElementRecorder<[UInt8]>()
        _ = loop.bytes(from: null).subscribe(recorder)
        waitUntil("it ends") { recorder.isCompleted }
        let zero = try own(open("/dev/zero", O_RDONLY))
        let zeros = ElementRecorder<[UInt8]>()
        _ = loop.bytes(from: zero, maximum: 10).take(2).subscribe(zeros)
        waitUntil("two came") { zeros.isCompleted }
        XCTAssertEqual(zeros.elements, [[UInt8](repeating: 0, count: 10), [UInt8](repeating: 0, count: 10)])
    }

    func testNothingIsReadWhileTheSubscriptionIsPaused() throws {
        let (reading, writing) = try makePipe()
        let path = try temporaryFile(String(repeating: "a", count: 1 << 20))
        let file = try own(open(path, O_RDONLY))
        for descriptor in [reading, file] {
            let recorder = ElementRecorder<[UInt8]>()
            let source = SerialDisposable()
            source.pause()
            source.disposable = loop.bytes(from: descriptor).subscribe(recorder)
            if descriptor == reading { write("a", to: writing) }
            settle()
            settle()
            let before = recorder.elements.count
            // An element that was on its way when the pause came may still arrive.
            XCTAssertLessThanOrEqual(before, 1)
            source.resume()
            waitUntil("it goes on") { recorder.elements.count > 0 }
            source.dispose()
        }
    }

    func testAnObserverThatPausesAtEachPieceLosesNothing() throws {
        let path = try temporaryFile(String(repeating: "a", count: 1 << 20))
        let file = try own(open(path, O_RDONLY))
        let count = ElementRecorder<Int>()
        let scheduler = LoopScheduler(loop)
        let subscription = loop.bytes(from: file, maximum: 10_000)
            .concatMap { Observable.just($0.count).delay(.microseconds(1), scheduler: scheduler) }
            .subscribe(count)
        waitUntil("it ends") { count.isCompleted }
        XCTAssertEqual(count.elements.reduce(0, +), 1 << 20)
        subscription.dispose()
    }

    func testADescriptorThatCannotBeReadIsAnError() throws {
        let (_, writing) = try makePipe()
        let directory = try own(open("/", O_RDONLY))
        for (descriptor, name) in [(writing, "EBADF"), (999, "EBADF"), (directory, "EISDIR")] {
            let recorder = ElementRecorder<[UInt8]>()
            _ = loop.bytes(from: descriptor).subscribe(recorder)
            waitUntil("it fails") { recorder.error != nil }
            XCTAssertTrue("\(recorder.error!)".hasPrefix(name), "\(recorder.error!)")
        }
    }

    func testThePiecesHaveALimitHoweverManyBytesAreAllowed() throws {
        let (reading, writing) = try makePipe()
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: reading, maximum: .max).subscribe(recorder)
        write("a", to: writing)
        waitUntil("it came") { recorder.text == "a" }
        subscription.dispose()
    }

    func testTheEndOfTheLoopIsAnError() throws {
        let (reading, _) = try makePipe()
        let recorder = ElementRecorder<[UInt8]>()
        let subscription = loop.bytes(from: reading).subscribe(recorder)
        loop.shutdown()
        XCTAssertEqual((recorder.error as? LoopError)?.description.hasPrefix("ECANCELED"), true)
        let late = ElementRecorder<[UInt8]>()
        _ = loop.bytes(from: reading).subscribe(late)
        XCTAssertNotNil(late.error)
        subscription.dispose()
    }
}
