import Foundation
import Freshet

/// Whoever reads the output has gone; there is nothing left to do.
struct OutputClosed: Error {}

/// Writes `text` and a line feed to the standard output.
///
/// - Throws: ``outputFailure(_:)``.
func printResult(_ text: String) throws {
    do {
        try writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO)
    } catch {
        throw outputFailure(error)
    }
}

/// What it means that the output could not be written.
func outputFailure(_ error: any Error) -> any Error {
    if (error as? SystemError)?.code == EPIPE { return OutputClosed() }
    return HTTPClientError(
        .cancelled, phase: .receiving, message: "the output can't be written: \(error)", underlying: error)
}
