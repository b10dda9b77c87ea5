import Glibc

/// What it took to open silent streams, and to hold them.
public final class StreamTally {
    private let name: String
    private let count: Int
    private let resident = Memory.residentBytes
    private let began = Clock.nanoseconds
    private var seconds = 0.0
    private var bytesEach = 0
    private var processor = 0.0
    private var errors = 0

    /// Begins to take the time.
    public init(of name: String, _ count: Int) {
        self.name = name
        self.count = count
    }

    /// Each has said its word.
    public func areOpen(lost: Int) {
        seconds = Double(Clock.nanoseconds - began) / 1e9
        bytesEach = (Memory.residentBytes - resident) / count
        errors = lost
        processor = Clock.processorSeconds
        let word = "\(count - lost) streams are open, \(lost) lost\n"
        _ = word.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// The line of JSON, once they have been open for a while.
    public func line() -> String { figures().text }

    public func figures() -> JSONLine {
        JSONLine(name)
            .with("streams", count - errors).with("open_s", seconds).with("rss_bytes_per_stream", bytesEach)
            .with("cpu_s", Clock.processorSeconds - processor).with("errors", errors)
    }
}
