import Freshet

/// The example of the page of this name.
enum NamesBesideOtherLibraries {
    typealias FreshetClient = FreshetHTTP.HTTPClient
    typealias FreshetError = FreshetHTTP.HTTPClientError

    struct Weather: Sendable {
        let client: FreshetClient

        func today() -> FreshetCore.Single<FreshetHTTP.Response> {
            client.get("https://weather.example/today").validate()
        }
    }
}
