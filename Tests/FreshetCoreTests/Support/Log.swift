import Foundation

/// What several closures, on several threads, write down.
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
