import ArgumentParser
import Freshet

/// The options that describe the request, for every verb that has exactly one.
struct MessageOptions: ParsableArguments {
    @Argument(help: "The address, http or https; http if it names neither.")
    var url: String

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method (default: GET, or POST with -d).", valueName: "method"),
        completion: .list(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]))
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field of the request; can be repeated.",
            discussion: """
                'Name:' leaves a field out, and 'Name;' sends it without a value. 'Accept-Encoding:' is sent without a value.
                """,
            valueName: "name: value"))
    var headers: [HeaderArgument] = []

    @Option(
        name: [.customShort("d"), .customLong("data"), .customLong("data-ascii"), .customLong("data-binary")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body of the request: data, @file, or - for standard input.",
            discussion: """
                It is sent as it is, as a form unless a Content-Type is given. A single file is read as it is sent. Several, \
                and a pipe or a device, are read before.
                """,
            valueName: "data"))
    var data: [BodyArgument] = []

    @Option(
        name: .customLong("data-raw"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The body of the request, as it stands here; an @ means nothing.", valueName: "data"),
        transform: { BodyArgument($0, .raw) })
    var rawData: [BodyArgument] = []

    @Option(
        name: .customLong("data-urlencode"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field of a form, to be encoded: value, name=value, @file or name@file.", valueName: "field"),
        transform: { BodyArgument($0, .urlEncoded) })
    var encodedData: [BodyArgument] = []

    @Option(
        name: [.customShort("A"), .long], parsing: .unconditional,
        help: ArgumentHelp("The User-Agent of the request.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("e"), .long], parsing: .unconditional,
        help: ArgumentHelp("The Referer of the request.", valueName: "url"))
    var referer: String?

    @Option(
        name: [.customShort("u"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Basic authentication, for the origin of the address alone.",
            discussion: "Without a password the terminal asks for it.", valueName: "user:password"))
    var user: UserArgument?

    /// The parts of the body, in the order of the command line.
    var allData: [BodyArgument] { (data + rawData + encodedData).sorted { $0.place < $1.place } }

    func validate() throws {
        for header in headers { try header.validate() }
        if referer?.hasSuffix(";auto") == true {
            throw ValidationError("-e sends one Referer as it is, and ;auto would be a part of it; leave ;auto out")
        }
    }

    /// - Parameters:
    ///   - loop: the loop that reads a long standard input while it is sent; without a loop, all of it is kept in memory.
    ///   - upload: the options that describe the body in another way.
    ///   - isQuery: whether the data belongs to the query of the address, not to the body.
    func request(on loop: Loop? = nil, upload: UploadOptions? = nil, isQuery: Bool = false) throws -> Request {
        var request = Request(url: try parsedAddress(isQuery: isQuery))
        for header in headers { try request.headers.append(header.name, header.value) }
        // As in curl, a field that is written wins.
        if let userAgent, request.headers[.userAgent] == nil {
            try request.headers.append(HTTPField.Name.userAgent.rawName, userAgent)
        }
        if let referer, !referer.isEmpty, request.headers[.referer] == nil {
            try request.headers.append(HTTPField.Name.referer.rawName, referer)
        }
        if let user, request.headers[.authorization] == nil {
            request.headers[.authorization] = try user.authorization()
        }
        if !isQuery, let body = try allData.body(on: loop) {
            request.method = .post
            request.body = body
            if request.headers[.contentType] == nil {
                request.headers[.contentType] = "application/x-www-form-urlencoded"
                if allData.looksLikeJSON(body) {
                    let option = upload == nil ? "-H 'Content-Type: application/json'" : "--json instead of -d"
                    Console.report(
                        "note: the body looks like JSON, and is sent as a form; to send JSON, write \(option)")
                }
            }
        }
        try upload?.apply(to: &request, on: loop)
        // Until here a field that is left out keeps the options from adding theirs.
        headers.omit(from: &request.headers)
        if let method {
            request.method = try HTTPRequest.Method(named: method)
            if let upper = CommandLineAdvice.standardMethod(meantBy: method) {
                Console.report("note: the method \(method) is sent as it is; servers know it as \(upper)")
            }
        }
        return request
    }

    /// - Throws: ``HTTPClientError`` with code `invalidRequest`, whose message has the address without its query, unless there
    ///   may be a password in it.
    func parsedAddress(isQuery: Bool) throws -> RequestURL {
        let address = try address(isQuery: isQuery)
        do {
            return try RequestURL(address)
        } catch var error as HTTPClientError {
            // A password that is not percent-encoded may contain a question mark or a number sign.
            if !address.contains("@") { error.message = "\(address.prefix { !"?#".contains($0) }): \(error.message)" }
            throw error
        }
    }

    /// The address with its scheme and, if the data belongs to the query, with the data. An address such as `https:/HOST` stays
    /// as it is and is refused: with `http://` before it, the request would go unencrypted to a host named https.
    private func address(isQuery: Bool) throws -> String {
        let scheme = /[A-Za-z][A-Za-z0-9+.-]*:\/\/|(?i:https?):/
        let isComplete = url.hasPrefix("/") || url.prefixMatch(of: scheme) != nil
        let address = isComplete ? url : "http://\(url)"
        guard isQuery, case let data = try allData.queryBytes(), !data.isEmpty else { return address }
        let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        // As in curl, an ampersand follows a query, but not an empty one or one that ends in an ampersand.
        let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
        let separator = query.map { $0.isEmpty || $0.hasSuffix("&") ? "" : "&" } ?? "?"
        return parts[0] + separator + String(decoding: data, as: UTF8.self)
    }
}

extension HTTPRequest.Method {
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name that HTTP does not allow as a method.
    init(named name: String) throws {
        guard let method = Self(name) else {
            throw HTTPClientError.refusal(
                name.isEmpty ? "the method is empty" : "the method holds a character that is not allowed in one",
                "write a name such as POST")
        }
        self = method
    }
}
