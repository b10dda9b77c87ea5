import Freshet

/// A session with an MCP server, over its streamable HTTP transport.
struct Session {
    private let url: RequestURL
    private let client: HTTPClient
    private let ids = Locked(0)
    private let interceptor = SessionInterceptor()

    init(at url: RequestURL, by client: HTTPClient) async throws {
        self.url = url
        self.client = client.with(interceptors: client.interceptors + [interceptor])
        let me: JSONValue = ["name": "freshet-example", "version": "1"]
        let server = try await result(
            of: "initialize", ["protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": me])
        interceptor.version.withLock { $0 = server["protocolVersion"]?.text }
        _ = try await self.client.send(request("notifications/initialized", nil, id: nil)).value
    }

    func toolNames() async throws -> [String] {
        try await result(of: "tools/list", [:])["tools"]?.elements.compactMap { $0["name"]?.text } ?? []
    }

    /// Emits the texts of the tool's result, and those that the tool logs on the way.
    ///
    /// The response is an event stream. If it is cut, the stream continues after its last event, also with a new credential.
    func call(_ tool: String, _ arguments: String) throws -> Observable<String> {
        let id = nextID()
        let parameters: JSONValue = ["name": .string(tool), "arguments": try JSONValue(Array(arguments.utf8))]
        var request = try request("tools/call", parameters, id: id)
        request.tags[CallState.self] = CallState()
        var settings = EventSource.Settings()
        settings.reconnection = .onceOpen
        settings.requiresTerminator = true
        return EventSource(request, by: client, settings: settings)
            .filter { !$0.data.isEmpty }.map { try JSONValue(Array($0.data.utf8)) }
            .take(until: { $0["id"] == .number(JSONNumber(id)) }, behavior: .inclusive)
            .flatMap { message in
                if let error = message["error"] { throw CallFailure(message: error["message"]?.text ?? "") }
                let texts = message["result"]?["content"]?.elements.compactMap { $0["text"]?.text }
                return Observable.from(texts ?? message["params"]?["data"]?.text.map { [$0] } ?? [])
            }
    }

    private func result(of method: String, _ parameters: JSONValue) async throws -> JSONValue {
        let id = nextID()
        let response = try await client.send(request(method, parameters, id: id)).value
        var messages: [JSONValue] = []
        if response.headers[.contentType]?.hasPrefix("text/event-stream") == true {
            var parser = ServerSentEventParser()
            try parser.parse(response.body) { event in
                if let message = try? JSONValue(Array(event.data.utf8)) { messages.append(message) }
            }
        } else {
            messages = [try JSONValue(response.body)]
        }
        guard let result = messages.first(where: { $0["id"] == .number(JSONNumber(id)) })?["result"] else {
            throw CallFailure(message: "\(method): \(response.status.code)")
        }
        return result
    }

    private func request(_ method: String, _ parameters: JSONValue?, id: Int?) throws -> Request {
        var message: [String: JSONValue] = ["jsonrpc": "2.0", "method": .string(method)]
        message["params"] = parameters
        message["id"] = id.map { .number(JSONNumber($0)) }
        return Request(
            method: .post, url: url, headers: [.accept: "application/json, text/event-stream"],
            body: try .json(JSONValue.object(message)))
    }

    private func nextID() -> Int {
        ids.withLock { last in
            last += 1
            return last
        }
    }
}

struct CallFailure: Error {
    let message: String
}

/// Whether the server has begun to respond to a call.
final class CallState: RequestTag {
    let hasBegun = Locked(false)
}

/// Names the session in each request, and continues a call by a GET: a second POST would call the tool again.
final class SessionInterceptor: RequestInterceptor {
    private static let sessionID = HTTPField.Name("Mcp-Session-Id")!
    private let session = Locked<String?>(nil)
    let version = Locked<String?>(nil)

    func adapt(_ request: inout Request) -> Adaptation {
        request.headers[Self.sessionID] = session.withLock { $0 }
        request.headers[HTTPField.Name("Mcp-Protocol-Version")!] = version.withLock { $0 }
        guard let call = request.tags[CallState.self], call.hasBegun.withLock({ $0 }) else { return .ready }
        guard request.headers["Last-Event-ID"] != nil else {
            return .failed(CallFailure(message: "the call was cut before its first event"))
        }
        request.method = .get
        request.body = .empty
        return .ready
    }

    func received(_ head: HTTPResponse, for request: Request) {
        if let id = head.headerFields[Self.sessionID] { session.withLock { $0 = id } }
        if head.status == .ok { request.tags[CallState.self]?.hasBegun.withLock { $0 = true } }
    }
}
