import Glibc

/// The system's error for a file.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value of `errno`, such as `ENOSPC` for a full disk.
    public let code: Int32

    init(_ code: Int32 = errno) {
        self.code = code
    }

    public var description: String { String(cString: strerror(code)) }

    /// Whether the disk is full, or the process or the system has too many open files. A later attempt can succeed.
    var isLimit: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) || isOfOpenFiles }
    var isOfOpenFiles: Bool { code == EMFILE || code == ENFILE }
}

extension HTTPClientError {
    /// Whether the file can't be written because another download writes it.
    var isOfOtherDownload: Bool { (underlying as? FileError)?.code == EWOULDBLOCK }

    /// The error for a file that can't be written.
    static func file(_ path: String, _ action: String, _ code: Int32 = errno, begun: Bool = true) -> HTTPClientError {
        let error = FileError(code)
        let recoverySuggestion: HTTPClientError.RecoverySuggestion =
            switch code {
            case ENOENT where path.isEmpty: "name a file"
            case ENOENT: "create the folder, or name a file elsewhere"
            case ENAMETOOLONG: "choose a shorter name"
            case ENOSPC, EDQUOT, EFBIG: "make room, or name a file elsewhere"
            case EMFILE, ENFILE: .closeOtherFiles
            case EACCES, EPERM, EROFS: "name a file elsewhere, or allow it"
            case EEXIST: "move it elsewhere, or name another file for the download"
            case EWOULDBLOCK: "wait for the other download, or name another file"
            case EBUSY: "name a file elsewhere; if this one is a mount of its own, mount its folder instead"
            default: "name a file elsewhere"
            }
        let reason =
            switch code {
            case EWOULDBLOCK: "another download writes it"
            case EEXIST: "no download has left it"
            default: "\(error)"
            }
        return HTTPClientError(
            error.isLimit ? .overloaded : begun ? .cancelled : .invalidRequest, phase: begun ? .storing : .preparing,
            message: "the file \(path.isEmpty ? "without a name" : path) can't be \(action): \(reason)",
            recoverySuggestion: recoverySuggestion, underlying: error, isUnsent: !begun)
    }
}

extension HTTPClientError.RecoverySuggestion {
    static let closeOtherFiles: Self = "close other files, or raise the limit of open files"
}
