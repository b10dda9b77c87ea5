import Foundation
import Synchronization
import XCTest

/// Runs `body` on `count` threads at once, and waits for all of them. A thread that does not end in time is a deadlock.
func onThreads(
    _ count: Int, within timeout: TimeInterval = 60, file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping @Sendable (Int) -> Void
) {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            body(number)
            group.leave()
        }
    }
    if group.wait(timeout: .now() + timeout) == .timedOut {
        XCTFail("after \(timeout) s a thread still waits for another", file: file, line: line)
    }
}

/// Runs `body` on a thread whose stack has no room for a frame per element.
func onASmallStack(_ kibibytes: Int = 512, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    // The frames of the address sanitizer are several times as large.
    let isSanitized = dlsym(dlopen(nil, RTLD_LAZY), "__asan_init") != nil
    thread.stackSize = kibibytes * 1024 * (isSanitized ? 8 : 1)
    thread.start()
    done.wait()
}

/// Lets threads continue together, so that their next steps happen at once.
final class Barrier: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) {
        missing = Atomic(count)
    }

    func wait() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        while missing.load(ordering: .acquiring) > 0 { sched_yield() }
    }
}
