public import FreshetHTTP
public import HTTPTypes

extension ScriptedResponse {
    /// Sends the response after a delay.
    public func after(_ delay: Duration) -> ScriptedResponse {
        changed { $0.opening.insert(.wait(delay), at: 0) }
    }

    /// Sends the response when `barrier` is released.
    public func delayed(until barrier: Barrier) -> ScriptedResponse {
        changed { $0.opening.insert(.hold(barrier), at: 0) }
    }

    /// Sends an interim response (1xx) at once, before this one.
    public func preceded(by status: HTTPResponse.Status, headers: HTTPFields = [:]) -> ScriptedResponse {
        changed { $0.opening.append(.informational(HTTPResponse(status: status, headerFields: headers))) }
    }

    /// Pauses before each piece of the body except the first.
    public func pausing(_ delay: Duration) -> ScriptedResponse {
        changed { response in
            response.content = Array(
                response.content.map { [Step.wait(delay), $0] }.joined().dropFirst(response.content.isEmpty ? 0 : 1))
        }
    }

    /// Sends the head and the first `count` bytes of the body, and the rest when `barrier` is released.
    public func pausing(after count: Int, until barrier: Barrier) -> ScriptedResponse {
        changed { $0.content = $0.content(splitAt: count, inserting: [.hold(barrier)], keepingRest: true) }
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

    private func ended(after count: Int, by step: Step) -> ScriptedResponse {
        changed { response in
            response.promisedLength = response.length
            response.content = response.content(splitAt: count, inserting: [], keepingRest: false)
            response.ending = step
        }
    }

    private func changed(_ change: (inout ScriptedResponse) -> Void) -> ScriptedResponse {
        var response = self
        change(&response)
        return response
    }

    /// Returns the content with `steps` after its first `count` bytes. A stream is not split, because its length is not known.
    private func content(splitAt count: Int, inserting steps: [Step], keepingRest: Bool) -> [Step] {
        var before: [Step] = []
        var after: [Step] = []
        var left = count
        for step in content {
            guard left > 0 else {
                after.append(step)
                continue
            }
            guard case .piece(let bytes, let times) = step else {
                before.append(step)
                continue
            }
            let whole = min(times, left / bytes.count)
            if whole > 0 { before.append(.piece(bytes, times: whole)) }
            left -= whole * bytes.count
            guard whole < times else { continue }
            if left > 0 { before.append(.piece(Array(bytes[..<left]), times: 1)) }
            after.append(.piece(Array(bytes[left...]), times: 1))
            if times - whole > 1 { after.append(.piece(bytes, times: times - whole - 1)) }
            left = 0
        }
        return before + steps + (keepingRest ? after : [])
    }
}
