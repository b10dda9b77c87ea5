import FreshetCore

/// A transfer whose answer has been peeked, and the question to the retriers what to do with it.
struct TransferInQuestion: Pausable {
    let transfer: any Disposable
    let question: any Disposable

    func dispose() {
        question.dispose()
        transfer.dispose()
    }

    func pause() { (transfer as? any Pausable)?.pause() }
    func resume() { (transfer as? any Pausable)?.resume() }
}
