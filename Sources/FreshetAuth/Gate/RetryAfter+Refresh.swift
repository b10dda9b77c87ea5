import FreshetHTTP
import HTTPTypes

extension RetryAfter {
    /// Returns the `Retry-After` delay if `error` is about a response of the refresh endpoint that has one.
    ///
    /// A date in it is on the server's clock. It is compared with the response's `Date` if there is one, and otherwise with
    /// `secondsSince1970`.
    static func delay(of error: any Error, at secondsSince1970: Double) -> Duration? {
        guard let headers = (error as? HTTPClientError)?.response?.headers,
            let retryAfter = headers[.retryAfter].flatMap({ RetryAfter($0) })
        else { return nil }
        let served = headers[.date].flatMap { HTTPDate.secondsSince1970($0) }
        return retryAfter.delay(at: served.map(Double.init) ?? secondsSince1970)
    }
}
