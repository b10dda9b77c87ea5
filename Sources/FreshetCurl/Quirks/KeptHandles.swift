import CFreshetCurl
import CFreshetMemory

/// Keeps easy handles from one transfer to the next where libcurl uses memory of the transfer before.
///
/// - Affected: libcurl 7.83.0 up to 8.0.1. A handle that is used again over HTTP/1 still points to the last header line of the
///   response before, whose memory is free then. A response that begins with the continuation of a line has that line read,
///   grown and freed a second time.
/// - Done: libcurl is started with memory of ours (`CFreshetMemory`), in which a piece can be pinned, and the last header line of
///   a kept handle stays as it is until the handle has another.
/// - Checked: the version, once, when libcurl is started; then, whether it takes its memory from us, which it does not if
///   somebody else in the process has started it before; and before each handle is kept, whether the memory that libcurl was
///   given last holds the line.
/// - Without it: in the affected versions no handle is kept, and a small request takes 38 % more of the processor.
/// - Upstream: fixed in 8.1.0, which forgets the line with each new request.
/// - Delete it when 8.1.0 is the oldest version that is supported, with `CFreshetMemory` and ``LastHeaderLine``.
enum KeptHandles {
    enum Safety {
        case safe
        /// Once ``LastHeaderLine`` has pinned the line.
        case safeWhenPinned
        case unsafe
    }

    /// Whether a handle can be kept. Starts libcurl for the whole process.
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
    // Memory of their own, for a line is noted while libcurl runs, ten times a response.
    private let note = UnsafeMutablePointer<freshet_header_note>.allocate(capacity: 1)
    private let pinned = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)

    init() {
        note.initialize(to: freshet_header_note())
        pinned.initialize(to: nil)
    }

    /// Once libcurl has cleaned the handle up.
    deinit {
        if let pinned = pinned.pointee { freshet_memory_unpin(pinned) }
        note.deallocate()
        pinned.deallocate()
    }

    /// A new transfer begins.
    func forget() { note.pointee.memory = nil }

    /// Notes a line at the moment at which libcurl hands it out, which is right after it has kept it.
    func received(_ line: UnsafeRawBufferPointer) {
        guard safety == .safeWhenPinned, let first = line.first, let start = line.baseAddress else { return }
        // libcurl does not keep the end of a head.
        if first != UInt8(ascii: "\r"), first != UInt8(ascii: "\n") {
            freshet_memory_note_header(note, start, line.count)
        }
    }

    /// Pins the line, if it is known where libcurl has it.
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
