import FreshetCore

/// Gets what comes of one transfer of a request, for the ``RequestCall`` that started it.
final class AttemptReceiver: TransferReceiver {
    private let call: RequestCall
    private let step: Int

    init(_ call: RequestCall, step: Int) {
        self.call = call
        self.step = step
    }

    func prepare(_ request: inout Request) -> Adaptation {
        switch call.adapt(&request) {
        case .ready:
            return .ready
        case .waiting(let adapted):
            // Retriers have no say in what an adapter refuses.
            return .waiting(adapted.do(onError: { [call, step] in call.submit(.fail($0), of: step) }))
        }
    }

    func willSend(_ request: Request) { call.submit(.sending(request), of: step) }
    func receive(_ part: consuming ResponsePart) { call.submit(.part(part), of: step) }
    func receiveEnd(_ failure: (any Error)?) { call.submit(.ended(failure), of: step) }
}
