public import FoundationEssentials

extension RequestBody {
    /// `value` as JSON, with the type `application/json`. It is encoded in this call.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a value that JSON can't express.
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
