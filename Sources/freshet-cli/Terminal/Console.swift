import Foundation
import Freshet
import Synchronization

/// Writes to standard error on a queue of its own, so that a terminal that has stopped blocks no other thread.
enum Console {
    private static let queue = DispatchQueue(label: "console")

    /// Whether standard error is a terminal that can redraw a line.
    static let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Whether a line stands on the terminal that the next text replaces. Only the queue uses it.
    private static let hasLine = Atomic(false)

    /// Whether a drawn line waits to be written.
    private static let isDrawing = Atomic(false)

    /// Writes `text`, in place of a line of ``draw(_:)``.
    static func write(_ text: String) {
        put(text, asLine: false)
    }

    /// Draws a line that whatever is written next replaces. A line is dropped while the one before waits, because lines would
    /// pile up while the terminal is stopped.
    static func draw(_ line: String) {
        if !isDrawing.exchange(true, ordering: .relaxed) { put(line, asLine: true) }
    }

    private static func put(_ text: String, asLine: Bool) {
        queue.async {
            let hadLine = hasLine.exchange(asLine, ordering: .relaxed)
            // A line that is drawn again covers the old one, which flickers less than wiping it.
            let start = asLine ? "\r" : hadLine ? "\r\u{1B}[K" : ""
            // Standard error itself has failed, so the failure can't be reported.
            try? writeAll(Array((start + text + (asLine ? "\u{1B}[K" : "")).utf8), to: STDERR_FILENO)
            if asLine { isDrawing.store(false, ordering: .relaxed) }
        }
    }

    /// The kinds of lines that are written, one bit each: errors (`0b01`) and notes (`0b10`).
    private static let writtenKinds = Atomic(UInt8(0b11))

    /// Stops writing notes, and also errors unless `keepingErrors` is true.
    static func silence(keepingErrors: Bool) {
        writtenKinds.store(keepingErrors ? 0b01 : 0, ordering: .relaxed)
    }

    /// Whether the options ask for silence.
    static var isSilent: Bool { writtenKinds.load(ordering: .relaxed) & 0b10 == 0 }

    /// Writes a line: a note if `text` begins with `note:`, otherwise an error. A silenced kind is not written.
    static func report(_ text: String) {
        let kind: UInt8 = text.hasPrefix("note:") ? 0b10 : 0b01
        if writtenKinds.load(ordering: .relaxed) & kind != 0 { write("freshet: \(text)\n") }
    }

    static func flush() {
        queue.sync {}
    }

    /// Completes when all that was written before is on standard error, as ``flush()`` without a thread that waits.
    fileprivate static var flushed: Completable {
        .create { observer in
            queue.async { observer(.completed) }
            return Disposables.create()
        }
    }
}

extension ObservableType {
    /// Delivers each event, also an error, after all that was written to standard error before the event. Without this, what
    /// an observer writes to the same terminal can come before those lines.
    func afterConsole() -> Observable<Element> {
        materialize()
            .concatMapEager(maxConcurrent: 16) { event in Console.flushed.andThen(Observable.just(event)) }
            .dematerialize()
    }
}
