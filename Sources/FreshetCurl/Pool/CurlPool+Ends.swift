import CFreshetCurl
import FreshetHTTP

// What becomes of transfers that have ended.
extension CurlPool {
    /// Sorts out what has ended; libcurl is not running, and is not called again before all observers know.
    func finished(_ ended: [(CurlEasy, CURLcode)]) {
        inCurl {
            for (easy, code) in ended where code == CURLE_OK { easy.noteRefusal() }
            for (easy, code) in ended { finished(easy, code) }
        }
        runCommands()
    }

    private func finished(_ easy: CurlEasy, _ code: CURLcode) {
        guard let transfer = easy.handBack() else { return easy.multi.recycle(easy, isWell: false) }
        if code != CURLE_OK, transfer.sendings == 0, lacksDescriptors(transfer, code) {
            release(transfer, counted: false)
            return outOfDescriptors(transfer)
        }
        if code == CURLE_SEND_ERROR, let upload = transfer.upload,
            transfer.take(lastWords: easy.multi.takeLastWords(to: upload), of: easy)
        {
            release(transfer)
            admit()
            return end(transfer, nil)
        }
        if code != CURLE_OK, transfer.goesOutAgain() {
            release(transfer, counted: false)
            return launch(transfer)
        }
        let resending = transfer.isToBeSentAfresh ? .onNewConnection : transfer.resending(after: code, on: easy)
        if let resending, !transfer.isDisposed {
            transfer.isToBeSentAfresh = resending == .onNewConnection
            release(transfer, counted: false)
            return proceed(transfer)
        }
        // A response that is complete counts, whatever becomes of its stream afterwards. Source: RFC 9113 section 8.1.
        if transfer.isDisposed || ((transfer.endsItself || Self.endsConnection(code)) && transfer.isPlainlyWhole) {
            // One that was sent twice may have been refused, which libcurl does not forget with the next request.
            release(transfer, isWell: code == CURLE_OK && transfer.sendings < 2)
            admit()
            return end(transfer, nil)
        }
        let failure = Self.failure(of: transfer, easy, code)
        release(transfer, isWell: code == CURLE_OK && transfer.sendings < 2)
        admit()
        end(transfer, failure)
    }

    /// Whether libcurl reports nothing wrong with the response itself.
    private static func endsConnection(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OK, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: true
        default: false
        }
    }

    /// Ends a transfer all of whose body has come, while libcurl waits for the end of the connection.
    func endIfWhole(_ transfer: CurlTransfer) {
        guard transfer.state == .running, transfer.coded?.hasAll == true, !transfer.isHeld, let easy = transfer.easy
        else {
            return
        }
        easy.multi.remove(easy)
        let failure = transfer.failure ?? transfer.shortfall
        release(transfer)
        admit()
        end(transfer, failure)
    }

    /// Takes the handle and, if `counted`, the place back.
    func release(_ transfer: CurlTransfer, isWell: Bool = false, counted: Bool = true) {
        dropDeadline(of: transfer)
        if transfer.awaited != nil { stopWaiting(transfer) }
        if let easy = transfer.easy {
            transfer.easy = nil
            if let upload = transfer.upload {
                upload.stop()
                _ = easy.multi.takeLastWords(to: upload)
            }
            easy.multi.recycle(easy, isWell: isWell)
        }
        guard counted else { return }
        withQueue(of: transfer) { $0.leave(transfer) }
        if ordinary.limit < ordinary.total { recover() }
    }

    func end(_ transfer: CurlTransfer, _ failure: (any Error)?) {
        dropDeadline(of: transfer)
        if transfer.state == .preparing { preparing[ObjectIdentifier(transfer)] = nil }
        transfer.endPreparation()
        transfer.state = .ended
        transfer.finish(failure)
    }
}
