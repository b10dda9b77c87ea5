import ArgumentParser
import Freshet

/// The options that describe the request, for every verb that has exactly one.
struct MessageOptions: ParsableArguments {
    @Argument(help: "The absolute address, http or https.")
    var url: String

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method (default: GET, or POST with -d).", valueName: "method"),
        completion: .list(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]))
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A header field of the request; can be repeated.", valueName: "name: value"))
    var headers: [HeaderArgument] = []

    @Option(
        name: [.customShort("d"), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body of the request: data, @file, or - for standard input.",
            discussion: "It is sent as it is, as a form unless a Content-Type is given. A file is read as it is sent.",
            valueName: "data"))
    var data: [BodyArgument] = []

    func validate() throws {
        for header in headers { try header.validate() }
    }

    /// - Parameter loop: the loop that reads a long standard input while it is sent; without a loop, all of it is kept in
    ///   memory.
    func request(on loop: Loop? = nil) throws -> Request {
        var request = Request(url: try RequestURL(url))
        for header in headers { try request.headers.append(header.name, header.value) }
        if let body = try data.body(on: loop) {
            request.method = .post
            request.body = body
            if request.headers[.contentType] == nil {
                request.headers[.contentType] = "application/x-www-form-urlencoded"
            }
        }
        if let method { request.method = try HTTPRequest.Method(named: method) }
        return request
    }
}

extension HTTPRequest.Method {
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name that HTTP does not allow as a method.
    init(named name: String) throws {
        guard let method = Self(name) else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the method holds a character that is not allowed in one",
                recoverySuggestion: "write a name such as POST", isUnsent: true)
        }
        self = method
    }
}
