import FreshetCore
import FreshetHTTP
import FreshetLoop

extension CurlTransfer {
    /// Whether the request can go out.
    enum Readiness {
        case ready
        /// The pool receives the result later, as a command.
        case waiting
        case failed(any Error)
    }

    /// Lets the receiver prepare the request, after the transfer was admitted.
    func prepare() -> Readiness {
        guard state.preparations.begin() else { return .ready }
        var request = original
        if case .waiting(let waits) = receiver.prepare(&request) { return prepared(by: checked(waits, request)) }
        if request.body.isChecked { return prepared(by: checked(.just(request), request)) }
        return prepared(.success(request))
    }

    private func prepared(by prepared: Single<Request>) -> Readiness {
        let preparation = Preparation()
        preparation.subscription.setDisposable(
            prepared.subscribe { result in
                if preparation.keep(result) { return }
                self.pool.submit(.prepared(self, result))
            })
        guard let result = preparation.immediateResult() else {
            apply(.waitsForReceiver(preparation))
            return .waiting
        }
        // The subscription ends now, and not with the response.
        preparation.subscription.dispose()
        return self.prepared(result)
    }

    /// Applies the result of the preparation.
    func prepared(_ result: Result<Request, any Error>) -> Readiness {
        switch result {
        case .success(let request):
            apply(.prepared(request))
            return request.refusal(state.options).map { .failed($0) } ?? .ready
        case .failure(let error):
            return .failed(error)
        }
    }

    func endPreparation() {
        if case .preparation(let preparation) = state.holder { preparation.subscription.dispose() }
    }

    /// Whether the request's adapters have changed its origin after the transfer was admitted for another one.
    var isMisplaced: Bool {
        guard state.preparations.count > 1 || original.addressIdentity != state.request.addressIdentity else {
            return false
        }
        return state.request.url.origin != state.entry.originPool?.origin
    }

    /// The prepared request with its checked body, or a failure if the body can't be read.
    private func checked(_ prepared: Single<Request>, _ request: Request) -> Single<Request> {
        prepared.flatMap { [loop = pool.loop, origin = request.url.origin.description] request in
            guard request.body.isChecked else { return .just(request) }
            return Single.create { observer in
                BlockingScheduler(on: loop).schedule(request) { request in
                    observer(
                        Result { try request.checked() }
                            .mapError { HTTPClientError(ofBody: $0, .preparing, origin) })
                    return Disposables.create()
                }
            }
        }
    }
}
