import CFreshetUV

/// A call to libuv that failed, with the system's error.
public struct LoopError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error's number, as libuv gives it: negative, on Linux `-errno`.
    public let code: Int32

    public init(code: Int32) {
        self.code = code
    }

    /// Whether the process, or the machine, has no file descriptors left.
    public var isOutOfDescriptors: Bool { code == UV_EMFILE.rawValue || code == UV_ENFILE.rawValue }

    /// Whether nobody reads any more what was to be written: a pipe's or a socket's other end is closed.
    public var isBrokenPipe: Bool { code == UV_EPIPE.rawValue || code == UV_ECONNRESET.rawValue }

    public var description: String {
        "\(String(cString: uv_err_name(code))): \(String(cString: uv_strerror(code)))"
    }

    static func check(_ code: Int32) throws {
        if code < 0 { throw LoopError(code: code) }
    }
}
