import CFreshetCurl
import FreshetHTTP

// The ends of transfers.
extension CurlPool {
    /// Processes the transfers that have ended. libcurl does not run, and is not called again before all receivers are
    /// notified.
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
                    isBesideRefused: easy.multi.state.turn.hasRefusal(on: transfer.state.connectionIdentity)))
        )
    }

    func perform(_ conclusion: TransferStateMachine.Conclusion, for transfer: CurlTransfer) {
        switch conclusion {
        case .launch:
            withdraw(transfer)
            launch(transfer)
        case .sendAgain:
            withdraw(transfer)
            sendAgain(transfer)
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
        }
    }

    private func failure(of transfer: CurlTransfer, _ code: CURLcode) -> HTTPClientError? {
        guard let easy = transfer.state.easy else { return nil }
        transfer.recordWhatWasSent()
        return transfer.state.failure(
            after: code, in: FailureContext(of: transfer, easy), isCutOff: easy.state.isCutOff)
    }

    /// Ends a transfer whose body has come completely, while libcurl waits for the end of the connection.
    func endIfWhole(_ transfer: CurlTransfer) {
        guard let end = transfer.state.endOfWhole, let easy = transfer.state.easy else { return }
        easy.multi.remove(easy)
        perform(end, for: transfer)
    }

    func cancel(_ transfer: CurlTransfer) {
        if transfer.state.isRunning { return stop(transfer, with: nil) }
        if transfer.state.stage == .queued || transfer.state.stage == .preparing { admit(.withdrawn(transfer)) }
        end(transfer, nil)
    }

    /// Ends an admitted transfer that libcurl may still run.
    func stop(_ transfer: CurlTransfer, with failure: HTTPClientError?) {
        if let easy = transfer.state.easy { easy.multi.remove(easy) }
        withdraw(transfer)
        leave(transfer, failure)
    }

    /// Drops the deadline of a transfer, and takes back its handle or ends its wait for an address.
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

    /// Ends an admitted transfer, and admits the next one.
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
