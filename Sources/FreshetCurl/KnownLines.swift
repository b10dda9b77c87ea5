import CFreshetCurl
import CFreshetMemory

/// Takes the header lines of a handle that are known before they come, in C: they are ten a request, and say nothing new.
/// All others come to whoever made it.
///
/// Its memory is given back with ``free()``.
struct KnownLines {
    typealias Taker = @convention(c) (UnsafeMutablePointer<CChar>?, Int, UnsafeMutableRawPointer?) -> Int

    private let raw: UnsafeMutablePointer<freshet_header_lines>

    /// - Parameters:
    ///   - clock: where the time stands at which a line comes, in milliseconds; it outlives this.
    ///   - isNoting: whether the latest line has to be known to ``LastHeader``.
    init(clock: UnsafePointer<Int64>, isNoting: Bool, owner: UnsafeMutableRawPointer?, _ other: @escaping Taker) {
        raw = .allocate(capacity: 1)
        var lines = freshet_header_lines()
        lines.clock = clock
        lines.notes = isNoting ? 1 : 0
        lines.owner = owner
        lines.other = other
        raw.initialize(to: lines)
    }

    func free() { raw.deallocate() }

    /// Has libcurl give it the lines of `easy`.
    func serve(_ easy: UnsafeMutableRawPointer) {
        freshet_easy_set_pointer(easy, CURLOPT_HEADERDATA, raw)
        freshet_easy_set_on_header(easy, freshet_header_lines_take)
    }

    /// Takes `lines` if they come next, but for the last; they stay where they are until something else is expected.
    func expect(_ lines: UnsafeRawBufferPointer) {
        raw.pointee.upcoming = lines.baseAddress?.assumingMemoryBound(to: CChar.self)
        raw.pointee.left = lines.count
    }

    /// How many bytes of what was expected have come since this was asked. Nothing is expected any more.
    func seen() -> Int {
        let seen = raw.pointee.seen
        raw.pointee.seen = 0
        raw.pointee.left = 0
        return seen
    }

    /// Nothing is known of the answer that comes next.
    func forget() {
        _ = seen()
        raw.pointee.note.memory = nil
    }

    /// When the latest of them came; a time long ago if none has.
    var latest: Int64 { raw.pointee.latest }

    /// Of the latest line of all.
    var note: freshet_header_note {
        get { raw.pointee.note }
        nonmutating _modify { yield &raw.pointee.note }
    }

    /// Takes a line as libcurl hands it out.
    func take(_ line: UnsafeRawBufferPointer) -> Int {
        let start = UnsafeMutablePointer(mutating: line.baseAddress?.assumingMemoryBound(to: CChar.self))
        return freshet_header_lines_take(start, 1, line.count, raw)
    }
}
