import FreshetHTTP
import HTTPTypes

extension RetryAfter {
    /// How long the refresh endpoint wants not to be asked, if `error` is about an answer of it that says so.
    ///
    /// A date is the server's, so it is compared with the server's own, where that is there.
    static func delay(asked error: any Error, at secondsSince1970: Double) -> Duration? {
        guard let headers = (error as? HTTPClientError)?.response?.headers,
            let retryAfter = headers[.retryAfter].flatMap({ RetryAfter($0) })
        else { return nil }
        let served = headers[.date].flatMap { HTTPDate.secondsSince1970($0) }
        return retryAfter.delay(at: served.map(Double.init) ?? secondsSince1970)
    }
}
