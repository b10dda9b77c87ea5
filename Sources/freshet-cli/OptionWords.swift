import Freshet

extension HTTPClientError {
    /// The library's advice, with the option that follows it.
    var inWordsOfOptions: HTTPClientError {
        guard let (advice, option) = Self.options.first(where: { message.hasSuffix($0.advice) }) else { return self }
        var error = self
        error.message = message.dropLast(advice.utf8.count) + option
        return error
    }

    /// What messages end with, in the library's words and in those of the command line.
    static let options: [(advice: String, option: String)] = [
        ("allow it more time", "allow it more time with --timeout SECONDS"),
        ("raise the limit or take it as a stream", "allow more with --max-body BYTES, or use freshet get"),
        ("raise maximumHeadSize if it may be", "ask for an answer with less in its head"),
        ("; ask for less, or raise the limit of the head", "; ask for an answer with less in its head"),
        ("say the address in the overrides", "say the address with --resolve HOST:PORT:ADDRESS"),
        ("give the transport an identity", "give it with --cert FILE"),
        ("ask for automatic or for HTTP/1.1", "leave --http2 out"),
        ("change the URL, or ask for HTTP/1.1", "change the URL, or leave --http2 out"),
        ("check the path that was configured, or SSL_CERT_FILE", "check --cacert FILE, or SSL_CERT_FILE"),
        ("; log in", "; log in with freshet login"),
        ("; log in again", "; log in again with freshet login"),
    ]
}
