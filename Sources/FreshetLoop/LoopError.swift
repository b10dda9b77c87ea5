import CFreshetUV

/// The error of the system with which a call to libuv failed.
public struct LoopError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the error as libuv returns it: negative, on Linux `-errno`.
    public let code: Int32

    public init(code: Int32) {
        self.code = code
    }

    /// Whether the process, or the machine, has no file descriptors left.
    public var isOutOfDescriptors: Bool { code == UV_EMFILE.rawValue || code == UV_ENFILE.rawValue }

    /// Whether the other end of the pipe or the socket is closed, so that nothing reads the written bytes any more.
    public var isBrokenPipe: Bool { code == UV_EPIPE.rawValue || code == UV_ECONNRESET.rawValue }

    public var description: String {
        "\(String(cString: uv_err_name(code))): \(String(cString: uv_strerror(code)))"
    }

    static var loopHasEnded: LoopError { LoopError(code: UV_ECANCELED.rawValue) }

    static func check(_ code: Int32) throws {
        if code < 0 { throw LoopError(code: code) }
    }
}
