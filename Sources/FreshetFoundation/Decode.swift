public import Foundation
public import FreshetCore

/// Decodes values from data. Source: RxSwift's `DataDecoder`.
@preconcurrency
public protocol DataDecoder: Sendable {
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// Decodes each element. An element that cannot be decoded ends the stream with the decoder's error. Source:
    /// RxSwift's `decode`.
    public func decode<Item: Decodable, Decoder: DataDecoder>(
        type: Item.Type, decoder: Decoder
    ) -> Observable<Item> {
        map(Decoding<Item, Decoder>(decoder: decoder).decode)
    }
}

/// Binds a decoder to the type that it decodes. A closure that named the type would require sendable conformances.
private struct Decoding<Item: Decodable, Decoder: DataDecoder>: Sendable {
    let decoder: Decoder

    @Sendable
    func decode(_ data: Data) throws -> Item {
        try decoder.decode(Item.self, from: data)
    }
}
