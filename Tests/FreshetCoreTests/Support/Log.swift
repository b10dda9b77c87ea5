import Foundation

/// A log to which several closures write, on several threads.
final class Log<Element>: @unchecked Sendable {
    private let lock = NSLock()
    private var written: [Element] = []

    var all: [Element] { lock.withLock { written } }

    func append(_ element: Element) {
        lock.withLock { written.append(element) }
    }
}

struct TestError: Error, Equatable {
    var number = 0
}
