/// Finds out whether compressed data has reached its own end.
///
/// libcurl's decoders do not report that. Without the check, truncated data would look complete if its length or its chunks are
/// right, or if only the end of the connection ends the body.
enum DataEndCheck {
    /// The result for the data that has arrived so far.
    enum End {
        /// More data has to follow.
        case pending
        case reached
        /// The end can't be known: the data is invalid, which libcurl reports itself, or decodes to more than the limit.
        case unknown
    }

    case deflate(DeflateEnd)
    case brotli(BrotliEnd)
    case zstd(ZstdFrames)

    /// Creates a check; `nil` for a coding that is not checked here.
    ///
    /// - Parameter coding: a content coding in lower case.
    init?(_ coding: String) {
        switch coding {
        case "deflate": self = .deflate(DeflateEnd())
        case "br":
            guard let decoder = BrotliEnd() else { return nil }
            self = .brotli(decoder)
        case "zstd": self = .zstd(ZstdFrames())
        default: return nil
        }
    }

    var end: End {
        switch self {
        case .deflate(let decoder): decoder.end
        case .brotli(let decoder): decoder.end
        case .zstd(let frames): frames.end
        }
    }

    /// - Parameter limit: how many bytes all of the data so far may decode to.
    mutating func process(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        switch self {
        case .deflate(let decoder): decoder.process(bytes, limit: limit)
        case .brotli(let decoder): decoder.process(bytes, limit: limit)
        case .zstd(var frames):
            frames.process(bytes)
            self = .zstd(frames)
        }
    }
}
