import HTTPTypes

/// The beginning of a response. The client keeps it until a retrier has seen it.
struct PeekedResponse {
    let head: HTTPResponse
    /// The request that it answers, and how its client reads bodies.
    let request: Request
    let coding: ClientCoding?
    let location: AttemptLocation
    /// How many bytes of the body a retrier wants to see.
    let limit: Int
    private(set) var parts: [ResponsePart] = []
    private(set) var body: [UInt8] = []
    /// How the transfer has ended; `nil` while it runs.
    var end: Result<Void, any Error>?

    init(_ head: HTTPResponse, to request: Request, at location: AttemptLocation, coding: ClientCoding?, limit: Int) {
        self.head = head
        self.request = request
        self.location = location
        self.coding = coding
        self.limit = limit
    }

    mutating func append(_ part: ResponsePart) {
        parts.append(part)
        if case .body(let bytes) = part, body.count < limit { body += bytes }
    }

    var isEnough: Bool { body.count >= limit }
    var response: Response {
        var response = Response(head: head, body: Array(body.prefix(limit)), url: request.url)
        (response.coding, response.method, response.location) = (coding, request.method, location)
        return response
    }
}
