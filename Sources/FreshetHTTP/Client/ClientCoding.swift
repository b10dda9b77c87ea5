/// How a client reads and writes bodies, unless a call sets its own decoder or encoder. It is an object, because each response
/// refers to it.
final class ClientCoding: Sendable {
    let decoder: any BodyDecoder
    let failure: (any (Decodable & Error).Type)?

    init(_ configuration: HTTPClient.Configuration) {
        decoder = configuration.decoder
        failure = configuration.failure
    }
}
