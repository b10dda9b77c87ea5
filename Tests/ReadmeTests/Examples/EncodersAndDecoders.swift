import Foundation
import Freshet

/// The example of the page of this name.
enum EncodersAndDecoders {
    struct Article: Codable, Equatable, Sendable {
        var title: String
        var writtenAt: Date
    }

    static func client(_ runtime: FreshetRuntime) -> HTTPClient {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        var configuration = runtime.client.configuration
        configuration.decoder = decoder
        configuration.encoder = encoder
        return runtime.client.with(configuration: configuration)
    }

    static func update(_ article: Article, at url: URL, by client: HTTPClient) -> Single<Article> {
        client.put(url, json: article).validate().decode(Article.self)
    }

    static func propertyList(_ article: Article, at url: URL, by client: HTTPClient) throws -> Single<Article> {
        let body = try RequestBody.encoded(article, using: PropertyListEncoder())
        return client.post(url, body: body).validate().decode(Article.self, using: PropertyListDecoder())
    }

    struct Lines: BodyDecoder {
        struct NoLines: Error {}

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            guard let value = lines as? Value else { throw NoLines() }
            return value
        }
    }

    struct Names: Endpoint {
        typealias Response = [String]

        var path: String { "names.txt" }
        var decoder: (any BodyDecoder)? { Lines() }
    }
}
