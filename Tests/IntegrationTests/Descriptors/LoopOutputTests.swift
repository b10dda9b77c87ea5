import FreshetCore
import FreshetLoop
import Glibc
import XCTest

final class LoopOutputTests: DescriptorTestCase {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    func testPiecesAreWrittenInOrderAndTheCompletionFollows() throws {
        let (reading, writing) = try makePipe()
        let recorder = ElementRecorder<Never>()
        let lines = (0..<10_000).map { "\($0)\n" }
        let source = Observable.from(lines.map(bytes))
        _ = source.written(to: writing, on: loop).asObservable().subscribe(recorder)
        var read: [UInt8] = []
        waitUntil("all is there") {
            read += readSome(from: reading, upTo: 1000)
            return read.count == lines.joined().utf8.count
        }
        XCTAssertEqual(String(decoding: read, as: UTF8.self), lines.joined())
        waitUntil("it completes") { recorder.isCompleted }
        XCTAssertTrue(isBlocking(writing))
    }

    func testPiecesOfOneTurnAreWrittenAtOnce() throws {
        let (one, other) = try makeSockets()
        let subject = PublishSubject<[UInt8]>()
        let writing = subject.written(to: one, on: loop).asObservable().subscribe(ElementRecorder())
        settle()
        loop.execute { for text in ["a", "b", "c"] { subject.onNext(Array(text.utf8)) } }
        XCTAssertEqual(readSome(from: other), bytes("abc"))
        writing.dispose()
    }

    func testASlowReaderPausesTheSource() throws {
        let (reading, writing) = try makePipe()
        let produced = Produced()
        let piece = [UInt8](repeating: 0x61, count: 10_000)
        let recorder = ElementRecorder<Never>()
        let subscription = Observable.from(0..<1_000)
            .map { _ in
                produced.count()
                return piece
            }
            .written(to: writing, on: loop, highWater: 100_000).asObservable().subscribe(recorder)
        settle()
        settle()
        let before = produced.number
        XCTAssertLessThanOrEqual(before * piece.count, 100_000 + 2 * 64 * 1024 + piece.count)
        var read = 0
        waitUntil("all is there") {
            read += readSome(from: reading).count
            return read == 10_000_000
        }
        waitUntil("it completes") { recorder.isCompleted }
        XCTAssertEqual(produced.number, 1_000)
        subscription.dispose()
    }

    func testASourceThatEmitsWithinItsSubscribingCallIsPaused() throws {
        let (_, writing) = try makePipe()
        let produced = Produced()
        let piece = [UInt8](repeating: 0x61, count: 10_000)
        let subscription = Observable.from(0..<1_000, scheduler: ImmediateScheduler.instance)
            .map { _ in
                produced.count()
                return piece
            }
            .written(to: writing, on: loop, highWater: 100_000).asObservable().subscribe(ElementRecorder())
        settle()
        XCTAssertLessThanOrEqual(produced.number * piece.count, 100_000 + 2 * 64 * 1024 + piece.count)
        subscription.dispose()
    }

    func testALimitBelowZeroIsZero() throws {
        let (reading, writing) = try makePipe()
        let recorder = ElementRecorder<Never>()
        let source = Observable.from((0..<10).map { [UInt8($0)] })
        let subscription = source.written(to: writing, on: loop, highWater: -1).asObservable().subscribe(recorder)
        waitUntil("it completes") { recorder.isCompleted }
        XCTAssertEqual(readSome(from: reading), Array(0..<10))
        subscription.dispose()
    }

    func testASourceThatIgnoresAPauseIsPausedAgain() throws {
        let (_, writing) = try makePipe()
        let source = UnpausableSource()
        let subscription = source.bytes.written(to: writing, on: loop, highWater: 10).asObservable().subscribe(
            ElementRecorder())
        // The pipe takes less than this, and nobody reads it, so that the source is paused from now on.
        source.send([UInt8](repeating: 0x61, count: 2 << 20))
        for round in 1...3 {
            XCTAssertEqual(source.pauses, round)
            source.send([0x61])
        }
        XCTAssertEqual(source.resumptions, 0)
        subscription.dispose()
    }

    func testAFileIsWritten() throws {
        let path = try temporaryFile("")
        let file = try own(open(path, O_WRONLY))
        let recorder = ElementRecorder<Never>()
        let subscription = Observable.from((0..<1_000).map { bytes("\($0),") })
            .written(to: file, on: loop).asObservable().subscribe(recorder)
        waitUntil("it completes") { recorder.isCompleted }
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), (0..<1_000).map { "\($0)," }.joined())
        subscription.dispose()
    }

    func testAFullDiskIsAnError() throws {
        let full = try own(open("/dev/full", O_WRONLY))
        let recorder = ElementRecorder<Never>()
        _ = Observable.just(bytes("a")).written(to: full, on: loop).asObservable().subscribe(recorder)
        waitUntil("it fails") { recorder.error != nil }
        XCTAssertTrue("\(recorder.error!)".hasPrefix("ENOSPC"), "\(recorder.error!)")
    }

    func testAReaderThatClosesIsAnErrorAndDisposesTheSource() throws {
        let pipe = try makePipe()
        let sockets = try makeSockets()
        for (ours, theirs) in [(pipe.writing, pipe.reading), sockets] {
            let source = PublishSubject<[UInt8]>()
            let recorder = ElementRecorder<Never>()
            let subscription = source.written(to: ours, on: loop).asObservable().subscribe(recorder)
            settle()
            closeNow(theirs)
            source.onNext(bytes("a"))
            waitUntil("it fails") { recorder.error != nil }
            XCTAssertEqual((recorder.error as? LoopError)?.isBrokenPipe, true)
            XCTAssertFalse(source.hasObservers)
            subscription.dispose()
        }
    }

    func testAClosedPipeIsDetectedWithoutDataToWrite() throws {
        let (reading, writing) = try makePipe()
        let recorder = ElementRecorder<Never>()
        let subscription = Observable<[UInt8]>.never().written(to: writing, on: loop).asObservable().subscribe(recorder)
        settle()
        closeNow(reading)
        waitUntil("it fails") { recorder.error != nil }
        XCTAssertEqual((recorder.error as? LoopError)?.isBrokenPipe, true)
        subscription.dispose()
    }

    func testAnErrorOfTheSourceIsDeliveredAfterTheDataBeforeIt() throws {
        let (reading, writing) = try makePipe()
        let recorder = ElementRecorder<Never>()
        let source = Observable.concat(.just(bytes("a")), .error(RxError.timeout))
        _ = source.written(to: writing, on: loop).asObservable().subscribe(recorder)
        waitUntil("it fails") { recorder.error != nil }
        XCTAssertTrue(recorder.error is RxError)
        XCTAssertEqual(readSome(from: reading), bytes("a"))
    }

    func testADescriptorThatCannotBeWrittenIsAnError() throws {
        let (reading, _) = try makePipe()
        for descriptor in [reading, 999] {
            let recorder = ElementRecorder<Never>()
            _ = Observable.just(bytes("a")).written(to: descriptor, on: loop).asObservable().subscribe(recorder)
            waitUntil("it fails") { recorder.error != nil }
            XCTAssertTrue("\(recorder.error!)".hasPrefix("EBADF"), "\(recorder.error!)")
        }
    }

    func testTheEndOfTheLoopIsAnError() throws {
        let (_, writing) = try makePipe()
        let source = PublishSubject<[UInt8]>()
        let recorder = ElementRecorder<Never>()
        let subscription = source.written(to: writing, on: loop).asObservable().subscribe(recorder)
        loop.shutdown()
        XCTAssertNotNil(recorder.error)
        XCTAssertFalse(source.hasObservers)
        subscription.dispose()
    }

    func testInputIsCopiedToOutputUnchangedAtAnySpeed() throws {
        let input = try makePipe()
        let output = try makePipe()
        let recorder = ElementRecorder<Never>()
        let copying = loop.bytes(from: input.reading).written(to: output.writing, on: loop, highWater: 10_000)
            .asObservable().subscribe(recorder)
        let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let writing = input.writing
        let writer = DispatchGroup()
        DispatchQueue.global().async(group: writer) {
            var start = 0
            while start < sent.count {
                start += sent[start...].withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
            }
        }
        var read: [UInt8] = []
        waitUntil("all is there") {
            read += readSome(from: output.reading, upTo: read.count < 1_000_000 ? 777 : 1 << 16)
            return read.count == sent.count
        }
        writer.wait()
        XCTAssertTrue(read == sent)
        closeNow(writing)
        waitUntil("it completes") { recorder.isCompleted }
        copying.dispose()
    }
}

/// The number of pieces that a source has produced.
private final class Produced: @unchecked Sendable {
    private let lock = NSLock()
    private var made = 0

    func count() { lock.withLock { made += 1 } }
    var number: Int { lock.withLock { made } }
}

/// Sends although it is paused, as a source may when another thread pauses it late. It counts its pauses and resumptions.
private final class UnpausableSource: Pausable, @unchecked Sendable {
    private let lock = NSLock()
    private var observer: AnyObserver<[UInt8]>?
    private var counts = (pauses: 0, resumptions: 0)

    var bytes: Observable<[UInt8]> {
        .create { observer in
            self.lock.withLock { self.observer = observer }
            return self
        }
    }

    var pauses: Int { lock.withLock { counts.pauses } }
    var resumptions: Int { lock.withLock { counts.resumptions } }

    func send(_ bytes: [UInt8]) { lock.withLock { observer }?.onNext(bytes) }
    func pause() { lock.withLock { counts.pauses += 1 } }
    func resume() { lock.withLock { counts.resumptions += 1 } }
    func dispose() { lock.withLock { observer = nil } }
}
