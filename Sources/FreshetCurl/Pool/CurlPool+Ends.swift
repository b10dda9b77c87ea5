import CFreshetCurl
import FreshetHTTP

// What becomes of transfers that have ended.
extension CurlPool {
    /// Sorts out what has ended; libcurl is not running, and is not called again before all observers know.
    func finished(_ ended: [(CurlEasy, CURLcode)]) {
        inCurl {
            for (easy, code) in ended where code == CURLE_OK { easy.recordRefusal() }
            for (easy, code) in ended { finished(easy, code) }
        }
        runCommands()
    }

    private func finished(_ easy: CurlEasy, _ code: CURLcode) {
        easy.endHead()
        guard let transfer = easy.detachTransfer() else { return easy.multi.recycle(easy, isWell: false) }
        let upload = code == CURLE_SEND_ERROR ? transfer.state.upload : nil
        transfer.apply(
            .completed(
                TransferStateMachine.Completion(
                    code: code, isDisposed: transfer.isDisposed, lacksDescriptors: Self.mayLackDescriptors(code),
                    pendingResponse: upload.map { easy.multi.removePendingResponse(to: $0) } ?? [],
                    isCutOff: easy.state.isCutOff,
                    isBesideRefused: easy.multi.state.turn.refusingPorts.contains(transfer.state.connection.localPort)))
        )
    }

    /// Does what a transfer says at its end.
    func perform(_ action: TransferStateMachine.Action, for transfer: CurlTransfer) {
        switch action {
        case .launch:
            withdraw(transfer)
            launch(transfer)
        case .sendAgain:
            withdraw(transfer)
            proceed(transfer)
        case .waitForDescriptors:
            withdraw(transfer)
            waitForDescriptors(transfer)
        case .leave(let keepsHandle, let failure):
            withdraw(transfer, keepsHandle: keepsHandle)
            leave(transfer, failure)
        case .explainFailure(let code):
            let failure = failure(of: transfer, code)
            withdraw(transfer)
            leave(transfer, failure)
        default: break
        }
    }

    private func failure(of transfer: CurlTransfer, _ code: CURLcode) -> HTTPClientError? {
        guard let easy = transfer.state.easy else { return nil }
        transfer.recordWhatWasSent()
        return transfer.state.failure(
            after: code, in: FailureContext(of: transfer, easy), isCutOff: easy.state.isCutOff)
    }

    /// Ends a transfer all of whose body has come, while libcurl waits for the end of the connection.
    func endIfWhole(_ transfer: CurlTransfer) {
        guard let end = transfer.state.endOfWhole, let easy = transfer.state.easy else { return }
        easy.multi.remove(easy)
        perform(end, for: transfer)
    }

    func cancel(_ transfer: CurlTransfer) {
        if transfer.state.isRunning {
            if let easy = transfer.state.easy { easy.multi.remove(easy) }
            withdraw(transfer)
            return leave(transfer, nil)
        }
        if transfer.state.stage == .queued || transfer.state.stage == .preparing { admit(.withdrawn(transfer)) }
        end(transfer, nil)
    }

    /// Takes the handle back.
    func withdraw(_ transfer: CurlTransfer, keepsHandle: Bool = false) {
        dropDeadline(of: transfer)
        switch transfer.state.holder {
        case .name:
            stopWaiting(transfer)
        case .handle(let easy):
            transfer.apply(.leftAlone)
            if let upload = transfer.state.upload {
                upload.stop()
                _ = easy.multi.removePendingResponse(to: upload)
            }
            easy.multi.recycle(easy, isWell: keepsHandle)
        case .nobody, .preparation:
            break
        }
    }

    /// Ends a transfer that had its turn, which is another's now.
    func leave(_ transfer: CurlTransfer, _ failure: (any Error)?) {
        admit(.left(transfer))
        end(transfer, failure)
    }

    func end(_ transfer: CurlTransfer, _ failure: (any Error)?) {
        dropDeadline(of: transfer)
        transfer.endPreparation()
        transfer.apply(.ended(failure))
    }
}
