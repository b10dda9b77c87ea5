import FreshetHTTP

extension CurlPool {
    /// What is to be done on the loop, once libcurl does not run.
    enum Command {
        case start(CurlTransfer)
        case prepared(CurlTransfer, Result<Request, any Error>)
        case resolved(KnownName, Result<[String], any Error>, Int)
        case cancel(CurlTransfer)
        case resume(CurlTransfer)
        case sendOn(CurlTransfer)
        case answers(CurlTransfer)
        case hasCome(CurlTransfer)
        case shutdown
        /// In the place of one that is carried out.
        case none

        /// Moved, not copied, which would count what it holds.
        mutating func take() -> Command {
            var taken = Command.none
            swap(&taken, &self)
            return taken
        }
    }
}
