import Foundation
import Freshet

extension ObservableType where Element: Sendable {
    /// All elements, once the stream has ended. The thread waits: callgrind bears no program whose main thread leaves.
    func waited() throws -> [Element] {
        let end = DispatchSemaphore(value: 0)
        // The semaphore is between the write and the read.
        nonisolated(unsafe) var result = Result<[Element], any Error>.success([])
        let subscription = toArray().subscribe { outcome in
            result = outcome
            end.signal()
        }
        defer { subscription.dispose() }
        end.wait()
        return try result.get()
    }
}

func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}

func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

extension String {
    /// Filled up with blanks, to the left if `width` is negative.
    func padded(to width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? blanks + self : self + blanks
    }
}
