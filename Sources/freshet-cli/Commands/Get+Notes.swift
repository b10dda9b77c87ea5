import Foundation
import Freshet

/// What the command says on standard error about a request that did not go as asked.
extension Get {
    /// Says what to do about a response with a status of 400 or above.
    func report(_ transfer: Download, of request: Request, in output: String?, _ client: LiveClient) {
        if !verbose, let origin = transfer.origin, var note = client.missingCredential {
            note.report(transfer.status, from: origin)
        }
        noteMissingRetry(of: request, transfer)
        if transfer.status == 407, network.hasProxy {
            Console.report(
                network.proxyNamesUser
                    ? "note: the proxy refused the user and the password; check them in the address of the proxy"
                    : "note: the proxy wants a user and a password; put them into the address of the proxy")
        }
        reportStatus(transfer, of: request, in: output)
    }

    /// Says the status, unless the head or the trace shows it. Beside a body it is said only if no terminal shows the body: a
    /// script that ends with 22 would otherwise not say why.
    private func reportStatus(_ transfer: Download, of request: Request, in output: String?) {
        let text = "the server responded with \(transfer.status)"
        if fail {
            report(text, of: request, "leave --fail out to see the body")
        } else if let output, !resume, output != "-" {
            noteOrReport("\(text); the body is in \(output)", of: request)
        } else if transfer.isUnsatisfiable {
            noteOrReport("the cache has no response to \(request.url.path), and the server was not asked", of: request)
        } else if !resume, !include, !isHead {
            if !transfer.hasBody {
                noteOrReport("\(text), and the body is empty", of: request)
            } else if !verbose, isatty(STDOUT_FILENO) == 0 {
                report(text, of: request)
            }
        }
    }

    /// Writes a note, or an error if `--show-error` asks for errors alone.
    private func noteOrReport(_ text: String, of request: Request) {
        if Console.isSilent { report(text, of: request) } else { Console.report("note: \(text)") }
    }

    private func report(
        _ text: String, of request: Request, _ recoverySuggestion: HTTPClientError.RecoverySuggestion? = nil
    ) {
        let error = HTTPClientError(
            .status, phase: .receiving, message: text, recoverySuggestion: recoverySuggestion)
        Console.report("\(error.naming(request))")
    }

    /// Says why `--retry` did not send a request again whose response asks for that.
    private func noteMissingRetry(of request: Request, _ transfer: Download) {
        guard options.retry > 0, RetryPolicy().statusCodes.contains(transfer.status) else { return }
        if request.isOneShot {
            Console.report("note: --retry did not apply, because the body came from a pipe and can't be sent again")
        } else if !transfer.asksForRetry {
            noteUnsafeRetry(of: request)
        } else if transfer.retries < options.retry {
            Console.report("note: --retry did not wait, because the server asks for more than --timeout leaves")
        }
    }

    func noteUnsafeRetry(of request: Request) {
        guard !request.isOneShot, !request.method.isIdempotent, !options.retryAll else { return }
        Console.report(
            "note: --retry did not apply, because the server may have acted upon the \(request.method); "
                + "--retry-all sends it again all the same")
    }

    /// Waits for the refresh that the response has started, if any, so that the next run of the command has its credential.
    ///
    /// - Parameter generation: the generation of the credential that the request was sent with; 0 if it had none.
    /// - Throws: ``Stopped``. A refresh that fails is noted.
    func finishRefresh(of client: LiveClient, replacing generation: Int) throws {
        guard let gate = client.gate, generation > 0 else { return }
        do {
            guard try result(of: gate.credential()).generation != generation else { return }
            Console.report(
                "note: the credential is refreshed, but the body came from a pipe and can't be sent again; run it again"
            )
        } catch let error where !(error is Stopped) {
            Console.report("note: the body came from a pipe and can't be sent again; \(error.commandLineMessage)")
        }
    }

    /// Notes what is left of an interrupted download.
    func notePartialFile(of path: String, _ transfer: Download, of request: Request, after error: any Error) {
        let files = FileManager.default
        // Another download may write the file.
        if let error = error as? HTTPClientError, error.underlying is FileError, error.phase == .preparing { return }
        if !resume {
            // --resume keeps no part of an error or of another method, and the rest of what can't be decoded makes it no better.
            let code = (error as? HTTPClientError)?.code
            guard transfer.hasBody, transfer.status < 400, code != .decoding, code != .tooLarge,
                request.method == .get, request.body.isEmpty
            else { return }
            Console.report("note: what came is deleted; --resume keeps it, and goes on from there the next time")
        } else if let part = try? files.attributesOfItem(atPath: "\(path).part") {
            guard transfer.hasBody else {
                // An empty one is removed. It may be of another address, so the same command need not go on from there.
                if part[.size] as? Int != 0 { Console.report("note: \(path).part is as it was before") }
                return
            }
            // The record of a part that can't be continued is empty.
            let record = try? files.attributesOfItem(atPath: "\(path).part.info")
            let next =
                record?[.size] as? Int ?? 0 > 0
                ? "the same command goes on from there"
                : "--resume begins anew, because the server named no version of it"
            Console.report("note: \(path).part has what came; \(next)")
        }
    }
}
