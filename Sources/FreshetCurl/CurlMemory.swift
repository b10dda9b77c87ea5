import CFreshetCurl
import CFreshetMemory

/// Where libcurl has its memory from, for the whole process.
enum CurlMemory {
    /// Starts libcurl, with memory of ours unless somebody else in the process has started it before.
    static let isOurs: Bool = {
        curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT), freshet_memory_allocate, freshet_memory_free, freshet_memory_resize,
            freshet_memory_copy, freshet_memory_allocate_zeroed)
        guard let probe = curl_url() else { return false }
        defer { curl_url_cleanup(probe) }
        return freshet_memory_latest() == UnsafeMutableRawPointer(probe)
    }()

    /// Whether transfers of a thread share a buffer that ask for one of the sizes that say so. Only where it is known that
    /// libcurl keeps nothing in it; from 8.8 on it shares one itself.
    static let sharesBuffers: Bool = {
        guard isOurs, CurlVersion.isExamined else { return false }
        return freshet_memory_learn_buffer { freshet_begin_nowhere(FRESHET_BUFFER) } != 0
    }()

    /// How many transfers have the buffer of this thread.
    static var bufferHolders: Int { freshet_memory_buffer_holders() }

    /// Whether what libcurl hands out may be the beginning of what it has read at once, which comes to the beginning of a
    /// piece of its memory.
    static func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
        guard UInt(bitPattern: bytes.baseAddress) % 16 == 0 else { return false }
        return !isOurs || freshet_memory_begins(bytes.baseAddress) != 0
    }
}

/// What a kept handle needs where libcurl does not forget the last header line of the answer before.
///
/// Between 7.83.0, which began to keep the lines, and 8.1.0 a handle that is used again still points to that line, whose
/// memory is free then: an answer that begins with the continuation of a line has it read, grown and freed a second time.
/// So the memory of a kept handle's last line stays as it is until there is another.
struct LastHeader {
    private let isMemoryOurs = CurlMemory.isOurs
    private var pinned: UnsafeMutableRawPointer?

    /// Whether the last line is known, and stays. Its note was taken at the moment at which libcurl handed it out, which is right
    /// after it has kept it.
    mutating func keep(_ note: inout freshet_header_note) -> Bool {
        guard isMemoryOurs, freshet_memory_holds_header(&note) != 0 else { return false }
        freshet_memory_pin(note.memory)
        letGo()
        pinned = note.memory
        note.memory = nil
        return true
    }

    /// Once the handle is gone, or has another last line.
    mutating func letGo() {
        if let pinned { freshet_memory_unpin(pinned) }
        pinned = nil
    }
}
