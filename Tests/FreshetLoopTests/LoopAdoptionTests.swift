import CFreshetUV
import Foundation
import FreshetCore
import FreshetLoop
import XCTest

/// Tests a loop of libuv that the test runs itself.
final class LoopAdoptionTests: XCTestCase {
    private var raw: UnsafeMutablePointer<uv_loop_t>!
    private var foreign: UnsafeMutablePointer<uv_timer_t>!
    private var resources = 0

    override func setUp() {
        resources = Resources.total
        raw = .allocate(capacity: 1)
        uv_loop_init(raw)
        foreign = .allocate(capacity: 1)
        uv_timer_init(raw, foreign)
        // The library must leave this data alone, although it is no object of the library.
        foreign.pointee.data = UnsafeMutableRawPointer(bitPattern: 8)
    }

    override func tearDown() {
        XCTAssertEqual(uv_is_closing(handle), 0, "a handle of the program's was closed")
        XCTAssertEqual(foreign.pointee.data, UnsafeMutableRawPointer(bitPattern: 8))
        uv_close(handle, nil)
        uv_run(raw, UV_RUN_DEFAULT)
        XCTAssertEqual(uv_loop_close(raw), 0, "something of ours is still open")
        raw.deallocate()
        foreign.deallocate()
        // A thread may release the test's objects a moment after its part of the test.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources)
    }

    private var handle: UnsafeMutablePointer<uv_handle_t> {
        UnsafeMutableRawPointer(foreign).assumingMemoryBound(to: uv_handle_t.self)
    }

    /// Runs `work` on another thread, and waits for it.
    @discardableResult
    private func elsewhere<Value>(_ work: @escaping @Sendable () -> Value) -> Value {
        let result = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            result.value = work()
            done.signal()
        }
        done.wait()
        return result.value!
    }

    private func runLoop() { uv_run(raw, UV_RUN_DEFAULT) }

    func testWorkSubmittedBeforeTheLoopRunsWaitsForIt() throws {
        let loop = try Loop(adopting: raw)
        let seen = Box<[String]>([])
        elsewhere { loop.execute { seen.update { $0.append("from elsewhere, \(loop.isCurrent)") } } }
        loop.execute {
            seen.update { $0.append("from here") }
            loop.shutdown()
        }
        XCTAssertEqual(seen.value, [])
        runLoop()
        XCTAssertEqual(seen.value, ["from elsewhere, true", "from here"])
    }

    func testIsCurrentIsTrueOnlyOnTheThreadOfTheLoop() throws {
        let loop = try Loop(adopting: raw)
        XCTAssertTrue(loop.isCurrent, "before it runs too")
        XCTAssertFalse(elsewhere { loop.isCurrent })
        loop.shutdown()
        runLoop()
        XCTAssertFalse(loop.isCurrent, "it is no loop any more")
    }

    func testShutdownClosesNoHandleOfTheProgram() throws {
        let loop = try Loop(adopting: raw)
        let fired = Box<Int>(0)
        foreign.pointee.data = Unmanaged.passUnretained(fired).toOpaque()
        uv_timer_start(
            foreign,
            { timer in
                Unmanaged<Box<Int>>.fromOpaque(timer!.pointee.data).takeUnretainedValue().update { $0 += 1 }
            }, 20, 0)
        LoopTimer(on: loop) { fired.update { $0 += 1000 } }.start(after: .seconds(10))
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            loop.shutdown()
            return Disposables.create()
        }
        runLoop()
        XCTAssertEqual(fired.value, 1, "the program's timer fired, ours was closed before")
        foreign.pointee.data = UnsafeMutableRawPointer(bitPattern: 8)
    }

    func testShutdownFromAnotherThreadWaitsForTheEnd() throws {
        let loop = try Loop(adopting: raw)
        let order = Box<[String]>([])
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<3 {
            Thread.detachNewThread {
                loop.shutdown()
                order.update { $0.append("ended") }
                ended.signal()
            }
        }
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { _ in Disposables.create() }
        loop.execute { order.update { $0.append("ran") } }
        runLoop()
        for _ in 0..<3 { XCTAssertEqual(ended.wait(timeout: .now() + 30), .success) }
        XCTAssertEqual(order.value?.suffix(3), ["ended", "ended", "ended"])
        loop.shutdown()
        XCTAssertFalse(loop.execute {})
    }

    func testTheLoopCountsItsWaitForATimerFromTheEndOfTheWork() throws {
        var last = uv_prepare_t()
        uv_prepare_init(raw, &last)
        try withUnsafeMutablePointer(to: &last) { last in
            let waits = Box<[Int32]>([])
            last.pointee.data = Unmanaged.passUnretained(waits).toOpaque()
            uv_prepare_start(last) { last in
                let waits = Unmanaged<Box<[Int32]>>.fromOpaque(last!.pointee.data).takeUnretainedValue()
                waits.update { $0.append(uv_backend_timeout(last!.pointee.loop)) }
            }
            let loop = try Loop(adopting: raw)
            let timer = LoopTimer(on: loop) {
                loop.shutdown()
                uv_prepare_stop(last)
            }
            LoopTimer(on: loop) {
                timer.start(after: .milliseconds(120))
                let end = ContinuousClock.now.advanced(by: .milliseconds(100))
                while ContinuousClock.now < end {}
                waits.value = []
            }.start(after: .milliseconds(1))
            runLoop()
            XCTAssertLessThanOrEqual(try XCTUnwrap(waits.value?.first), 21)
            uv_close(UnsafeMutableRawPointer(last).assumingMemoryBound(to: uv_handle_t.self), nil)
            runLoop()
        }
    }

    func testTheProgramCanStopAndRestartTheLoop() throws {
        let loop = try Loop(adopting: raw)
        let count = Box<Int>(0)
        let pointer = UInt(bitPattern: raw)
        loop.execute {
            count.update { $0 += 1 }
            uv_stop(UnsafeMutablePointer(bitPattern: pointer))
        }
        runLoop()
        loop.execute { count.update { $0 += 1 } }
        XCTAssertEqual(count.value, 1)
        while count.value == 1 { uv_run(raw, UV_RUN_ONCE) }
        XCTAssertEqual(count.value, 2)
        loop.shutdown()
        runLoop()
    }

    func testBlockingWorkCompletesBeforeTheShutdown() throws {
        let loop = try Loop(adopting: raw)
        let done = Box<Bool>(false)
        _ = BlockingScheduler(on: loop).schedule(()) { _ in
            done.value = true
            return Disposables.create()
        }
        loop.shutdown()
        runLoop()
        XCTAssertEqual(done.value, true)
    }

    func testWhatIsOpenedDuringTheShutdownDoesNotKeepTheLoop() throws {
        let loop = try Loop(adopting: raw)
        let mayEnd = DispatchSemaphore(value: 0)
        // The end waits for this work.
        _ = BlockingScheduler(on: loop).schedule(()) { _ in
            mayEnd.wait()
            return Disposables.create()
        }
        loop.shutdown()
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let errors = Box<[String]>([])
        let callback = Box<() -> Void>({
            LoopTimer(on: loop) {}.start(after: .seconds(3600))
            _ = loop.bytes(from: descriptor).subscribe(onError: { error in errors.update { $0.append("\(error)") } })
            _ = BlockingScheduler(on: loop).schedule(()) { _ in Disposables.create() }
            mayEnd.signal()
        })
        foreign.pointee.data = Unmanaged.passUnretained(callback).toOpaque()
        uv_timer_start(
            foreign, { Unmanaged<Box<() -> Void>>.fromOpaque($0!.pointee.data).takeUnretainedValue().value!() }, 20, 0)
        runLoop()
        XCTAssertEqual(errors.value?.map { $0.hasPrefix("ECANCELED") }, [true])
        XCTAssertFalse(loop.isCurrent)
        foreign.pointee.data = UnsafeMutableRawPointer(bitPattern: 8)
        withExtendedLifetime((pipe, callback)) {}
    }

    func testBlockingWorkCanShutDownTheLoopThatWaitsForIt() throws {
        let loop = try Loop(adopting: raw)
        _ = BlockingScheduler(on: loop).schedule(()) { _ in
            loop.shutdown()
            return Disposables.create()
        }
        runLoop()
        XCTAssertFalse(loop.execute {})
    }

    func testAnActorRunsOnAnAdoptedLoop() throws {
        let loop = try Loop(adopting: raw)
        let counter = Counter(on: loop)
        let result = Box<Int>()
        Task {
            for _ in 0..<100 { await counter.increment() }
            result.value = await counter.count
            loop.execute { loop.shutdown() }
        }
        runLoop()
        XCTAssertEqual(result.value, 100)
    }

    func testAnUnheldLoopLivesUntilItsShutdown() throws {
        weak var held: Loop?
        let count = Box<Int>(0)
        do {
            let loop = try Loop(adopting: raw)
            held = loop
            loop.execute { count.update { $0 += 1 } }
        }
        XCTAssertNotNil(held)
        held?.shutdown()
        runLoop()
        XCTAssertEqual(count.value, 1)
        XCTAssertNil(held)
    }
}

private actor Counter {
    private let loop: Loop
    private(set) var count = 0

    init(on loop: Loop) {
        self.loop = loop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func increment() {
        loop.preconditionOnLoop()
        count += 1
    }
}
