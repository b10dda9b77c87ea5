import FreshetHTTP
import HTTPTypes

/// How a body is encoded, as its head says.
struct BodyCoding {
    /// The last of the content codings that mean something, in lower case; `nil` if there is none.
    private(set) var last: String?
    private(set) var count = 0
    private(set) var isStated = false
    private(set) var isChunked = false
    /// libcurl undoes a compression that stands among the transfer codings, asked for or not.
    private(set) var isTransferCoded = false
    /// Whether transfer codings are named, and all of them are none.
    private(set) var isTransferIdentity = false
    /// Whether each of the transfer codings is one that HTTP knows.
    private(set) var isTransferKnown = true

    var isContentCoded: Bool { count > 0 }

    init() {}

    /// Source: RFC 9110 sections 8.4 and 8.4.1: the names are case-insensitive, and `identity` is none.
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

    /// Those that are registered, and the two that libcurl knows besides.
    private static let transferCodings = ["chunked", "gzip", "x-gzip", "deflate", "br", "zstd"]

    private static func names(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }
}
