public import FoundationEssentials

/// Decodes the bodies of responses. `JSONDecoder` and `PropertyListDecoder` conform to it, and a decoder of your own can.
public protocol BodyDecoder: Sendable {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: BodyDecoder {}
extension PropertyListDecoder: BodyDecoder {}
