import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes

// What becomes of a body that is read as it is sent.
extension CurlTransfer {
    /// The request, if the body of it can be read.
    func checked(_ prepared: Single<Request>) -> Single<Request> {
        prepared.flatMap { [transport, origin = request.url.origin.description] request in
            guard case .source(let source) = request.body, source.isChecked else { return .just(request) }
            return Single.create { observer in
                BlockingScheduler(on: transport.pool.loop).schedule(source) { source in
                    observer(
                        Result {
                            try source.check()
                            return request
                        }.mapError { Self.bodyFailure($0, .preparing, origin) })
                    return Disposables.create()
                }
            }
        }
    }

    /// Something has come, or the end, after there was nothing; on any thread.
    func bodyGoesOn() {
        transport.pool.submit(.sendOn(self))
    }

    func bodyFailed(with error: any Error) {
        var failure = Self.bodyFailure(error, phase, request.url.origin.description)
        failure.isUnsent = false
        self.failure = failure
    }

    func bodyCannotBeRepeated() {
        failure = fail(
            .connectionLost,
            "a kept connection died, and the body can't be read again", "give it as one that can be replayed")
    }

    /// The whole request is out, or as much of it as is wanted. Told once: what was sent on a connection that was dead was not.
    func noteSent(by easy: CurlEasy) {
        guard !isSentTold else { return }
        isSentTold = true
        emit(.phase(.requestSent(bytes: easy.requestSize(of: self))))
    }

    /// The head of the final answer has come. Source: RFC 9110 section 10.1.1, RFC 9112 section 9.6.
    func bodyIsAnswered(with status: Int) {
        guard let upload, status >= 300 else { return }
        upload.cut()
        bodyGoesOn()
    }

    /// Whether the whole answer is known to have come.
    var isAnswered: Bool {
        guard phase == .receiving, upload != nil, coded == nil, let contentLength else { return false }
        return received >= contentLength
    }

    /// Whether the server is asked to say first that it wants the body.
    var expectsContinue: Bool { options.expectsContinue != nil && !isExpectationRefused }

    /// Whether this is the answer to `Expect` of a server that can't do it. Source: RFC 9110 section 15.5.18.
    func refusesExpectation(_ status: Int) -> Bool {
        guard status == 417, !isExpectationRefused, !request.body.isEmpty,
            options.expectsContinue != nil || request.headers.contains(.expect), upload?.rewind() != false
        else { return false }
        isExpectationRefused = true
        wantsAnotherTry = true
        return true
    }

    /// Whether it is to be launched once more; then it is as before the first time.
    func goesOutAgain() -> Bool {
        guard wantsAnotherTry, !isDisposed else { return false }
        wantsAnotherTry = false
        request.headers[.expect] = nil
        parser = ResponseHeadParser(maximumSize: options.maximumHeadSize)
        sendings = 0
        resetForAnotherTry()
        return true
    }

    private static func bodyFailure(
        _ error: any Error, _ phase: HTTPClientError.Phase, _ origin: String
    ) -> HTTPClientError {
        var failure =
            error as? HTTPClientError
            ?? HTTPClientError(
                .invalidRequest, phase: phase,
                message: "the body could not be read to its end", remedy: "see the underlying error", underlying: error)
        failure.origin = failure.origin.isEmpty ? origin : failure.origin
        failure.phase = phase
        failure.isUnsent = phase == .preparing
        return failure
    }
}
