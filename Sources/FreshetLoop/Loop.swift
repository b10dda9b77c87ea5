import CFreshetUV
public import FreshetCore
import Synchronization

/// An event loop and the thread that runs it, until ``shutdown()``.
///
/// It is a serial executor, so an actor can run on it. Work and jobs run one at a time, in the order of submission.
// Unchecked: only the loop's thread accesses `raw`, `timers`, `batch`, `endings`, `isEnding` and `adoption`, after the
// initializer has set them up.
public final class Loop: SerialExecutor, @unchecked Sendable {
    public let name: String
    let raw: UnsafeMutablePointer<uv_loop_t>
    package let timers: Timeline<LoopTimerBackend>
    package let deadlines: LoopDeadlines
    let wakeup: LoopWakeup
    /// Wakes the loop from its own thread, without a system call.
    let nextTurn: LoopPhase
    /// The state of an adopted loop; `nil` if the loop has a thread of its own.
    let adoption: LoopAdoption?
    let queue = LoopQueue()
    let lateJobs = Drain<UnownedJob>()
    private let thread = Locked<uv_thread_t?>(nil)
    private let threadID = Atomic<UInt>(0)
    /// The thread that runs a job after the end.
    let lateThreadID = Atomic<UInt>(0)
    /// The blocking work of this loop on libuv's pool, and whether a shutdown waits for it.
    let blockingWork = Locked(BlockingWork())
    private var batch: [LoopQueue.Work] = []
    let turnEnd = TurnEnd()
    let taskExecutors = LoopTaskExecutors()
    private var endings: [UInt64: () -> Void] = [:]
    private var lastEnding: UInt64 = 0
    /// Whether the loop has begun to end. Only its thread reads this.
    package private(set) var isEnding = false

    /// Creates a loop with a thread of its own, which starts to run at once.
    ///
    /// - Parameter name: the name of the thread, of which the system shows 15 bytes.
    /// - Throws: ``LoopError`` if the process has no descriptors or threads left.
    public convenience init(name: String = "freshet") throws {
        let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        do {
            try LoopError.check(uv_loop_init(raw))
        } catch {
            raw.deallocate()
            throw error
        }
        do {
            try self.init(raw: raw, name: name, adoption: nil)
        } catch {
            uv_loop_close(raw)
            raw.deallocate()
            throw error
        }
        // Before the thread starts, so that a count of live resources includes these handles from the beginning.
        endTurns()
        OpenFiles.makeRoom(like: uv_backend_fd(raw))
        try start()
        Resources.increment()
    }

    init(raw: UnsafeMutablePointer<uv_loop_t>, name: String, adoption: LoopAdoption?) throws {
        Self.ignoreBrokenPipes
        self.name = name
        self.raw = raw
        self.adoption = adoption
        wakeup = try LoopWakeup(raw: raw, adoption)
        let timer = LoopTimer(raw: raw, adoption)
        timers = Timeline(backend: LoopTimerBackend(timer: timer))
        deadlines = LoopDeadlines(on: timers)
        nextTurn = LoopPhase(.afterTimers, of: raw, adoption)
        LoopPhase.countWaits(of: raw, adoption)
        timer.handler = { [unowned self] in
            timers.backend.fired()
            timers.runDue()
        }
        onWake { [unowned self] in drain() }
    }

    func onWake(_ handler: @escaping () -> Void) {
        wakeup.handler = handler
        nextTurn.handler = { [unowned nextTurn] in
            nextTurn.stop()
            handler()
        }
    }

    private func start() throws {
        let held = OpaqueReference.retain(self)
        let result = thread.withLock { thread in
            var id = uv_thread_t()
            let result = uv_thread_create(&id, { OpaqueReference<Loop>.takeRetained($0!).runThread() }, held)
            if result == 0 { thread = id }
            return result
        }
        guard result < 0 else { return }
        _ = OpaqueReference<Loop>.takeRetained(held)
        LoopHandle.closeAll(of: raw)
        uv_run(raw, UV_RUN_DEFAULT)
        freeLoop()
        throw LoopError(code: result)
    }

    // By default the system ends a process that writes to a closed connection.
    private static let ignoreBrokenPipes: Void = {
        freshet_ignore_broken_pipes()
    }()

    // MARK: Time and place

    static var clock: Instant { Instant(sinceStart: .nanoseconds(Int64(clamping: uv_hrtime()))) }

    /// The time of the machine's monotonic clock, which is the same for all loops.
    public var now: Instant { Self.clock }

    /// The time at which the current turn of the loop began, in whole milliseconds. Reading it is cheaper than reading
    /// ``now``.
    package var turn: Instant { Instant(sinceStart: .milliseconds(turnMilliseconds)) }

    /// The time of ``turn``, as a number of milliseconds.
    package var turnMilliseconds: Int64 { Int64(truncatingIfNeeded: uv_now(raw)) }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool { threadID.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Stops the program if the caller is not on the loop's thread.
    public func preconditionOnLoop(_ function: StaticString = #function) {
        precondition(
            isCurrent, "\(function) was called off its loop's thread; go there with Loop.execute or a LoopScheduler")
    }

    // MARK: Work

    /// Runs `work` in a later turn of the loop, even if the caller is on the loop's thread.
    ///
    /// - Returns: `false` if the loop has been shut down. The work is then released and never runs.
    @preconcurrency
    @discardableResult
    public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        submit(.call(work))
    }

    /// Runs the work of an object on the loop, without the cost of a closure.
    package func execute(_ work: any LoopWork) -> Bool {
        submit(.piece(work))
    }

    /// How often other threads have woken the loop. Each wake-up costs a system call.
    package var wakeUps: Int { wakeup.count }

    func submit(_ work: LoopQueue.Work) -> Bool {
        let (isAccepted, wakes) = queue.append(work)
        if wakes { wake() }
        return isAccepted
    }

    private func wake() {
        if isCurrent { nextTurn.start() } else { wakeup.send() }
    }

    func drain() {
        // A few rounds save wake-ups. More rounds would delay the sockets.
        for _ in 0..<4 {
            guard queue.drain(into: &batch) else { return }
            for work in batch { run(work) }
            batch.removeAll(keepingCapacity: true)
        }
        wake()
    }

    private func run(_ work: LoopQueue.Work) {
        switch work {
        case .call(let work): work()
        case .piece(let work): work.runOnLoop()
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .taskJob(let job, let executor): job.runSynchronously(on: executor)
        case .stop: if let adoption { adoption.isAsked = true } else { uv_stop(raw) }
        }
    }

    // MARK: The end

    /// Calls `action` on the loop when it shuts down, before its handles are closed. Must be called on the loop.
    ///
    /// The owner of a descriptor with a ``LoopPoll`` closes both here. The actions run in the reverse order of their
    /// registration, and an action that an action adds runs after all of these. ``removeEnd(_:)`` takes the result.
    public func atEnd(_ action: @escaping () -> Void) -> UInt64 {
        preconditionOnLoop()
        lastEnding += 1
        endings[lastEnding] = action
        return lastEnding
    }

    /// Removes an action that ``atEnd(_:)`` has added. Must be called on the loop.
    public func removeEnd(_ key: UInt64) {
        preconditionOwner()
        // Not `endings[key] = nil`: that would release the action, which can own anything, during the access.
        _ = endings.removeValue(forKey: key)
    }

    /// Ends the loop. Work that was submitted before still runs, and timers do not fire any more. The method closes the
    /// handles, waits for blocking work and joins the thread.
    ///
    /// Can be called again. A call on the loop's own thread or in blocking work of the loop, for which it would wait,
    /// stops the program. An adopted loop can be shut down from any thread; see ``init(adopting:name:)``.
    public func shutdown() {
        blockingWork.withLock { $0.isAwaited = true }
        if let adoption { return shutdown(adoption) }
        precondition(
            !isCurrent, "Loop.shutdown() was called on the loop's own thread, which it waits for; call it from another")
        precondition(
            !isInBlockingWork,
            "Loop.shutdown() was called in blocking work of the loop, which it waits for; call it from another thread")
        submitStop()
        thread.withLock { thread in
            guard var id = thread else { return }
            uv_thread_join(&id)
            thread = nil
            Resources.decrement()
        }
    }

    private func runThread() {
        setThread(isCurrent: true)
        freshet_name_thread(name)
        TurnEnd.setCurrent(turnEnd)
        uv_run(raw, UV_RUN_DEFAULT)
        TurnEnd.setCurrent(nil)
        turnEnd.run()
        repeat {
            // Again after remaining work, which may have registered endings.
            runEndings()
            LoopHandle.closeAll(of: raw)
            uv_run(raw, UV_RUN_DEFAULT)
        } while !finish()
        freeLoop()
        setThread(isCurrent: false)
    }

    func runEndings() {
        isEnding = true
        while !endings.isEmpty {
            for key in endings.keys.sorted(by: >) { endings.removeValue(forKey: key)?() }
        }
        timers.removeAll()
        deadlines.removeAll()
    }

    /// Runs the remaining work. Returns `true` if there was none; the queue then accepts no more work.
    func finish() -> Bool {
        let isFinished = queue.finish()
        if !isFinished { drain() }
        return isFinished
    }

    /// Makes the calling thread the loop's own, or leaves the loop without a thread.
    func setThread(isCurrent: Bool) {
        threadID.store(isCurrent ? ThreadIdentity.current : 0, ordering: .relaxed)
    }

    /// Requests the end of the loop, after all work that was submitted before.
    func submitStop() {
        _ = submit(.stop)
    }

    private func freeLoop() {
        let result = uv_loop_close(raw)
        precondition(result == 0, "a loop was shut down with open handles: \(LoopError(code: result))")
        raw.deallocate()
    }
}
