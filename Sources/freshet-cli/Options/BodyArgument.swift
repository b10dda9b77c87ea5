import ArgumentParser
import Freshet

/// What `-d` was given: the data, `@FILE`, or `-` for the standard input.
struct BodyArgument: ExpressibleByArgument {
    private var text: String

    init?(argument: String) {
        text = argument
    }

    /// The bytes, exactly as they are given.
    func bytes() throws -> [UInt8] {
        guard text == "-" || text.hasPrefix("@") else { return Array(text.utf8) }
        let path = text == "-" ? text : String(text.dropFirst())
        do {
            return try readAll(from: path)
        } catch {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the body can't be read from \(path): \(error)",
                isUnsent: true)
        }
    }
}

extension [BodyArgument] {
    /// The body of all of them together, joined by `&` as forms are; `nil` without any.
    func body() throws -> RequestBody? {
        if isEmpty { return nil }
        let parts = try map { try $0.bytes() }
        return .bytes([UInt8](parts.joined(separator: [UInt8(ascii: "&")])))
    }
}
