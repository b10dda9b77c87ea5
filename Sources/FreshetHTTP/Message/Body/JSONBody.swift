public import FoundationEssentials

extension RequestBody {
    /// `value` as JSON, of the type `application/json`; encoded now.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for what JSON can't say.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws -> RequestBody {
        do {
            return .bytes([UInt8](try encoder.encode(value)), contentType: "application/json")
        } catch {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "the body can't be written as JSON",
                recoverySuggestion: "see the underlying error, or set the encoder",
                underlying: error, isUnsent: true)
        }
    }
}
