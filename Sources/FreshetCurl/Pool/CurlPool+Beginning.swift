import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

// The steps of a transfer from its submission to libcurl.
extension CurlPool {
    func start(_ transfer: CurlTransfer) {
        guard transfer.state.stage == .new, !transfer.isDisposed else { return }
        guard open() else { return end(transfer, Self.cancellation(of: transfer)) }
        transfer.apply(.queued)
        admit(.started(transfer))
        if transfer.state.stage == .queued { perform(state.admission.apply(.waits(transfer))) }
    }

    /// Applies an input to the admission, performs the returned actions, and begins the transfers that can be admitted now.
    func admit(_ input: Admission.Input) {
        perform(state.admission.apply(input))
        beginNext()
    }

    /// Begins all transfers that can be admitted. A transfer that begins can end or wait at once, and so make room for the
    /// next one, which this loop begins too.
    ///
    /// - Parameter prepared: the transfer whose request has just been prepared, and is not prepared again if it begins now.
    func beginNext(prepared: CurlTransfer? = nil) {
        while let transfer = state.nextToBegin() {
            begin(transfer, isPrepared: transfer === prepared)
            state.isBeginning = false
        }
    }

    private func perform(_ actions: [Admission.Action]) {
        for action in actions {
            switch action {
            case .begin(let transfer): begin(transfer)
            case .launch(let transfer): launch(transfer)
            case .limitWaiting(let transfer): limitWaiting(of: transfer)
            case .refuse(let transfer, let error): end(transfer, error)
            case .keepConnections(let count): multis?.keep(atMost: count)
            case .keepConnectionsInUse: multis?.keepThoseInUse()
            }
        }
    }

    private func begin(_ transfer: CurlTransfer, isPrepared: Bool = false) {
        transfer.apply(.admitted)
        dropDeadline(of: transfer)
        guard !transfer.isDisposed else { return }
        switch isPrepared ? .ready : transfer.prepare() {
        case .ready:
            if transfer.isMisplaced {
                transfer.apply(.queued)
                admit(.moved(transfer))
            } else {
                launch(transfer)
            }
        case .failed(let error):
            leave(transfer, error)
        case .waiting:
            // Another transfer can be admitted as long as the adapters of this one wait.
            admit(.waitsForReceiver(transfer))
        }
    }

    func prepared(_ transfer: CurlTransfer, _ result: Result<Request, any Error>) {
        guard transfer.state.stage == .preparing else { return }
        transfer.endPreparation()
        if case .failed(let error) = transfer.prepared(result) {
            admit(.withdrawn(transfer))
            return end(transfer, error)
        }
        transfer.apply(.queued)
        perform(state.admission.apply(.prepared(transfer)))
        beginNext(prepared: transfer)
        limitWaiting(of: transfer)
    }

    func launch(_ transfer: CurlTransfer) {
        transfer.apply(.launched(at: loop.now))
        proceed(transfer)
    }

    func sendAgain(_ transfer: CurlTransfer) {
        transfer.apply(.sentAgain(at: loop.now))
        proceed(transfer)
    }

    /// Gives the transfer to libcurl, once its addresses are known.
    func proceed(_ transfer: CurlTransfer) {
        guard !transfer.isDisposed, isReachable(transfer) else { return }
        guard transfer.state.entry.originPool?.url != nil else {
            return leave(
                transfer, transfer.state.error(.invalidRequest, "the URL was not understood", "check its host and port")
            )
        }
        guard let multi = multis?.multi(for: transfer), let easy = multi.easy() else {
            return waitForDescriptors(transfer)
        }
        easy.prepare(for: transfer)
        if let (what, refusal) = easy.state.refusal {
            let error = transfer.state.error(
                .invalidRequest, "libcurl refuses \(what) (\(refusal))", "make it shorter", in: .preparing)
            withdraw(transfer)
            return leave(transfer, error)
        }
        guard multi.add(easy) else {
            transfer.apply(.leftAlone)
            return waitForDescriptors(transfer)
        }
        limitRunning(of: transfer)
    }

    func resume(_ transfer: CurlTransfer) {
        guard transfer.state.isRunning, transfer.state.isHeld, !transfer.isPauseWanted, let easy = transfer.state.easy
        else { return }
        transfer.apply(.resumed(at: loop.now))
        easy.multi.unpause(easy)
        endIfWhole(transfer)
    }

    /// Makes libcurl ask for the body again.
    func sendOn(_ transfer: CurlTransfer) {
        guard transfer.state.isRunning, let upload = transfer.state.upload, upload.isPaused,
            let easy = transfer.state.easy
        else { return }
        upload.isPaused = false
        transfer.apply(.sendsOn(at: loop.now))
        easy.multi.unpause(easy)
    }
}
