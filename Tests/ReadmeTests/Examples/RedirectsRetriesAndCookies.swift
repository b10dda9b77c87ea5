import Foundation
import Freshet

/// The example of the page of this name.
enum RedirectsRetriesAndCookies {
    static func client(of runtime: FreshetRuntime) -> (HTTPClient, CookieJar) {
        var retries = RetryPolicy(limit: 3)
        retries.budget = RetryBudget(ratio: 0.1, scheduler: runtime.scheduler)
        let jar = CookieJar()
        let client = runtime.client.with(interceptors: [retries, jar])
        return (client, jar)
    }

    static func restored(from jar: CookieJar) throws -> CookieJar {
        let saved = try JSONEncoder().encode(jar.cookies.filter { $0.expires != nil })
        let restored = CookieJar(try JSONDecoder().decode([Cookie].self, from: saved))
        return restored
    }
}
