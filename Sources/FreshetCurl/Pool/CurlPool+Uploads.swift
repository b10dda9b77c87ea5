import CFreshetCurl
import FreshetLoop

extension CurlPool {
    /// Has libcurl ask for the body again.
    func sendOn(_ transfer: CurlTransfer) {
        guard transfer.state == .running, let upload = transfer.upload, upload.isPaused, let easy = transfer.easy else {
            return
        }
        upload.isPaused = false
        transfer.progress(loop.now)
        easy.multi.unpause(easy)
    }
}
