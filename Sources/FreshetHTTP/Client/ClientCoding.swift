/// How a client reads and writes bodies where a call says nothing else. It is an object, because each response refers to it.
final class ClientCoding: Sendable {
    let decoder: any BodyDecoder
    let failure: (any (Decodable & Error).Type)?

    init(_ configuration: HTTPClient.Configuration) {
        decoder = configuration.decoder
        failure = configuration.failure
    }
}
