import FreshetHTTP
import HTTPTypes

/// The codings of a body, as its head states them.
struct BodyCoding {
    /// The last content coding that is not `identity`, in lower case; `nil` if there is none.
    private(set) var last: String?
    private(set) var count = 0
    private(set) var isStated = false
    private(set) var isChunked = false
    /// Whether a transfer coding compresses the body. libcurl decodes it, even if it was not asked to.
    private(set) var isTransferCoded = false
    /// Whether transfer codings are named and all of them are `identity`.
    private(set) var isTransferIdentity = false
    /// Whether every transfer coding is a known one.
    private(set) var isTransferKnown = true

    var isContentCoded: Bool { count > 0 }

    init() {}

    /// Reads the codings from a head. Their names are case-insensitive, and `identity` is not a coding. Source: RFC 9110
    /// sections 8.4 and 8.4.1.
    init(_ fields: HTTPFields) {
        if fields.contains(.contentEncoding) {
            let names = Self.names(fields[values: .contentEncoding])
            isStated = true
            count = names.count
            last = names.last
        }
        if fields.contains(.transferEncoding) {
            let names = Self.names(fields[values: .transferEncoding])
            isChunked = names.contains("chunked")
            isTransferIdentity = names.isEmpty
            isTransferCoded = names.contains { $0 != "chunked" }
            if isTransferCoded { isTransferKnown = names.allSatisfy { Self.transferCodings.contains($0) } }
        }
    }

    /// The registered codings, and two more that libcurl knows.
    private static let transferCodings = ["chunked", "gzip", "x-gzip", "deflate", "br", "zstd"]

    private static func names(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }
}
