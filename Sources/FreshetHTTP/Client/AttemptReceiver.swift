import FreshetCore

/// Receives the events of one transfer for the ``RequestCall`` that started it.
final class AttemptReceiver: TransferReceiver {
    private let call: RequestCall
    private let step: Int

    init(_ call: RequestCall, step: Int) {
        self.call = call
        self.step = step
    }

    func prepare(_ request: inout Request) -> Adaptation { call.adapt(&request, of: step) }
    func account(of request: Request) -> AccountResolution { call.account(of: request) }
    func willSend(_ request: Request) { call.submit(.sending(request), of: step) }
    func receive(_ part: consuming ResponsePart) { call.submit(.part(part), of: step) }
    func receiveEnd(_ failure: (any Error)?) { call.submit(.ended(failure), of: step) }
}
