import Foundation
import Freshet

/// The reader of the output has closed it, so there is nothing left to write. A failure that is known by then still decides the
/// exit status.
struct OutputClosed: Error {}

extension ObservableType where Element == [UInt8] {
    /// Writes to a descriptor as fast as its reader takes the bytes, and pauses the source meanwhile.
    ///
    /// Its errors are those of ``outputFailure(_:)``.
    func output(to descriptor: Int32, on loop: Loop) -> Observable<Never> {
        written(to: descriptor, on: loop).asObservable().mapError { $0 is LoopError ? outputFailure($0) : $0 }
    }
}

extension Loop {
    /// The bytes of standard input.
    var standardInput: Observable<[UInt8]> {
        bytes(from: STDIN_FILENO).mapError {
            HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the standard input can't be read: \($0)",
                recoverySuggestion: "connect it with a file or a pipe", underlying: $0, isUnsent: true)
        }
    }
}

/// Writes `text` and a line feed to the standard output. A reader that has closed the output is no failure: the command goes on,
/// and its exit status says how it ended.
///
/// - Throws: ``outputFailure(_:)``, but no ``OutputClosed``.
func printResult(_ text: String) throws {
    try writeResult(Array((text + "\n").utf8), to: STDOUT_FILENO)
}

/// Writes all of `bytes`, as ``printResult(_:)`` does.
func writeResult(_ bytes: [UInt8], to descriptor: Int32) throws {
    do {
        try writeAll(bytes, to: descriptor)
    } catch {
        let failure = outputFailure(error)
        if !(failure is OutputClosed) { throw failure }
    }
}

/// The error with which the command ends if its output can't be written.
func outputFailure(_ error: any Error) -> any Error {
    let code = (error as? SystemError)?.code ?? -((error as? LoopError)?.code ?? 0)
    let reason = SystemError(code).description
    switch code {
    case EPIPE, ECONNRESET: return OutputClosed()
    case ENOSPC, EDQUOT, EFBIG:
        return HTTPClientError(
            .overloaded, phase: .storing,
            message: "the output can't be written: \(reason)", recoverySuggestion: "make room, or write elsewhere",
            underlying: error)
    default:
        return HTTPClientError(
            .cancelled, phase: .storing,
            message: "the output can't be written: \(reason), and the request was given up",
            recoverySuggestion: "write it elsewhere",
            underlying: error)
    }
}
