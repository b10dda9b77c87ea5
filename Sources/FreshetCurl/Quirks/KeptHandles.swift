import CFreshetCurl
import CFreshetMemory

/// Keeps easy handles from one transfer to the next where libcurl uses memory of the previous transfer.
///
/// - Affected: libcurl 7.83.0 up to 8.0.1. A handle that is used again over HTTP/1 still points to the last header line of
///   its previous response, whose memory was freed. If a response begins with the continuation of a line, libcurl reads
///   that line, enlarges it, and frees it a second time.
/// - Done: libcurl is started with the memory functions of `CFreshetMemory`, which can pin a piece of memory. The last
///   header line of a kept handle stays as it is until the handle has another.
/// - Checked: the version, once, when libcurl is started. Then, whether libcurl uses these memory functions, which it does
///   not if other code in the process has started it before. Before each handle is kept, whether the memory that libcurl
///   allocated last holds the line.
/// - Without it: in the affected versions no handle is kept, and a small request takes 38 % more of the processor.
/// - Upstream: fixed in 8.1.0, which forgets the line with each new request.
/// - Delete it when 8.1.0 is the oldest version that is supported, with `CFreshetMemory` and ``LastHeaderLine``.
enum KeptHandles {
    enum Safety {
        case safe
        /// A handle can be kept after ``LastHeaderLine`` has pinned the line.
        case safeWhenPinned
        case unsafe
    }

    /// Whether a handle can be kept. Reading it starts libcurl for the whole process.
    static let safety: Safety = {
        guard (0x07_53_00..<0x08_01_00).contains(CurlVersion.number) else {
            curl_global_init(Int(CURL_GLOBAL_DEFAULT))
            return .safe
        }
        guard !Quirks.areOff else {
            curl_global_init(Int(CURL_GLOBAL_DEFAULT))
            return .unsafe
        }
        curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT), freshet_memory_allocate, freshet_memory_free, freshet_memory_resize,
            freshet_memory_copy, freshet_memory_allocate_zeroed)
        guard let probe = curl_url() else { return .unsafe }
        defer { curl_url_cleanup(probe) }
        return freshet_memory_latest() == UnsafeMutableRawPointer(probe) ? .safeWhenPinned : .unsafe
    }()
}

/// The last header line that one handle has received, in libcurl's memory.
struct LastHeaderLine: ~Copyable {
    private let safety = KeptHandles.safety
    // Both have separate memory, because a line is recorded while libcurl runs, ten times per response.
    private let note = UnsafeMutablePointer<freshet_header_note>.allocate(capacity: 1)
    private let pinned = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)

    init() {
        note.initialize(to: freshet_header_note())
        pinned.initialize(to: nil)
    }

    /// It must run after libcurl has cleaned up the handle.
    deinit {
        if let pinned = pinned.pointee { freshet_memory_unpin(pinned) }
        note.deallocate()
        pinned.deallocate()
    }

    /// Forgets the line, because a new transfer begins.
    func forget() { note.pointee.memory = nil }

    /// Records a line when libcurl hands it out, which is right after libcurl has stored it.
    func received(_ line: UnsafeRawBufferPointer) {
        guard safety == .safeWhenPinned, let first = line.first, let start = line.baseAddress else { return }
        // libcurl does not keep the end of a head.
        if first != UInt8(ascii: "\r"), first != UInt8(ascii: "\n") {
            freshet_memory_note_header(note, start, line.count)
        }
    }

    /// Pins the line, if its place in libcurl's memory is known.
    ///
    /// - Returns: whether the handle can be kept.
    func pin() -> Bool {
        if safety == .safe { return true }
        guard safety == .safeWhenPinned, freshet_memory_holds_header(note) != 0 else { return false }
        let line = note.pointee.memory
        freshet_memory_pin(line)
        if let pinned = pinned.pointee { freshet_memory_unpin(pinned) }
        pinned.pointee = line
        forget()
        return true
    }
}
