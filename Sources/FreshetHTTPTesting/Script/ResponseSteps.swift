import FreshetCore
public import FreshetHTTP
public import HTTPTypes

extension ScriptedResponse {
    /// Sends the response after a delay.
    public func after(_ delay: Duration) -> ScriptedResponse {
        opened(by: .wait(delay))
    }

    /// Sends the response when `barrier` is released.
    public func delayed(until barrier: Barrier) -> ScriptedResponse {
        opened(by: .hold(barrier))
    }

    /// Sends an interim response (1xx) at once, before this one and its delays, but after interim responses that it has.
    public func preceded(by status: HTTPResponse.Status, headers: HTTPFields = [:]) -> ScriptedResponse {
        var response = self
        let index = opening.firstIndex { step in
            switch step {
            case .informational, .pace: false
            default: true
            }
        }
        response.opening.insert(
            .informational(HTTPResponse(status: status, headerFields: headers)), at: index ?? opening.endIndex)
        return response
    }

    /// Pauses before each piece of the body except the first.
    public func pausing(_ delay: Duration) -> ScriptedResponse {
        changed { $0.gap = ($0.gap ?? .zero) + delay }
    }

    /// Sends the head and the first `count` bytes of the body, and the rest when `barrier` is released.
    public func pausing(after count: Int, until barrier: Barrier) -> ScriptedResponse {
        changed { $0.holds.append((count, barrier)) }
    }

    /// Sends the body in chunks, and adds a chunk for each of `pieces`.
    public func chunked(_ pieces: [String] = []) -> ScriptedResponse {
        changed { response in
            response.framing = .chunked
            response.content += pieces.filter { !$0.isEmpty }.map { .piece(Array($0.utf8), times: 1) }
        }
    }

    /// Adds trailer fields after the body.
    public func withTrailers(_ trailers: HTTPFields) -> ScriptedResponse {
        changed { $0.trailers = trailers }
    }

    /// Marks the end of the body by the end of the connection.
    public func untilClose() -> ScriptedResponse {
        changed { $0.framing = .untilClose }
    }

    /// Ends the connection after the complete response, which announces that with `Connection: close`.
    public func closing() -> ScriptedResponse {
        changed { $0.headers[.connection] = "close" }
    }

    /// Ends the connection after the complete response, without announcing it.
    public func closingWithoutConnectionClose() -> ScriptedResponse {
        changed { $0.closesSilently = true }
    }

    /// Ends the connection after the head and `count` bytes of the body.
    public func truncated(after count: Int) -> ScriptedResponse {
        ended(after: count, by: .close)
    }

    /// Resets the connection after the head and `count` bytes of the body.
    public func reset(after count: Int) -> ScriptedResponse {
        ended(after: count, by: .reset)
    }

    /// Fails with `error` after the head and `count` bytes of the body. A server resets the connection instead.
    public func failing(with error: HTTPClientError, after count: Int) -> ScriptedResponse {
        ended(after: count, by: .fail(error))
    }

    /// Puts `step` before all others.
    func opened(by step: Step) -> ScriptedResponse {
        var response = self
        response.opening.insert(step, at: 0)
        return response
    }

    private func ended(
        after count: Int, by step: Step, _ name: StaticString = #function
    ) -> ScriptedResponse {
        changed(by: name) { response in
            response.cut = min(count, response.cut ?? count)
            response.ending = step
        }
    }

    /// Applies a change of the head or the body. A deferred response is changed when it is known.
    private func changed(
        by name: StaticString = #function, _ change: @escaping @Sendable (inout ScriptedResponse) -> Void
    ) -> ScriptedResponse {
        var response = self
        if hasHead {
            change(&response)
            return response
        }
        var isDeferred = false
        response.opening = opening.map { step in
            guard case .replace(let later) = step else { return step }
            isDeferred = true
            return .replace(later.map { $0.changed(by: name, change) })
        }
        precondition(isDeferred, "\(name) needs a response with a head; this one is raw bytes, silence or a failure")
        return response
    }
}
