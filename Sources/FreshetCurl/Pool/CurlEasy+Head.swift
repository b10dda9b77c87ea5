import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// Sets what a handle sends before the body.
extension CurlEasy {
    /// Sets the target and the header lines: as one text where that is possible, otherwise through libcurl's options for
    /// them.
    func setHead(of transfer: CurlTransfer, _ request: Request) {
        let target = target(of: request, transfer)
        let fields = request.headers.withOneCookieField
        state.headers.removeAll()
        if let given = writeHead(fields, target) {
            require("the head", freshet_easy_set_string(raw, CURLOPT_REQUEST_TARGET, state.head.start))
            if !given.decodes { resetCodings() }
            for line in RequestHead.replacedNames { state.headers.append(line: line) }
            for field in fields where sendsBody && RequestHead.isAboutBody(field.name) {
                state.headers.append(field)
            }
        } else {
            require("the target", freshet_easy_set_string(raw, CURLOPT_REQUEST_TARGET, target))
            list(fields)
        }
        if sendsBody { listWhatBodiesNeed(transfer, request) }
        setHeaders(state.headers.list())
    }

    /// - Returns: `nil` if the request's lines have to be in libcurl's list.
    private func writeHead(_ fields: HTTPFields, _ target: String) -> RequestHead.Given? {
        let mayBeHTTP2 = state.shares == true
        guard let url = state.url, mayBeHTTP2 ? HeadsAsTargets.isActiveOverHTTP2 : HeadsAsTargets.isActive else {
            return nil
        }
        return state.head.write(fields, target: target, to: url, hasBody: sendsBody)
    }

    /// Frees everything that only sending the request needs, because the response can last for hours.
    func forgetRequest() {
        state.opening = []
        freshet_easy_set_string(raw, CURLOPT_REQUEST_TARGET, nil)
        setHeaders(nil)
        state.headers.free()
        state.head.free()
        responseHead.free()
    }

    private func target(of request: Request, _ transfer: CurlTransfer) -> String {
        let url = request.url
        let isBehindProxy = !url.isSecure && transfer.state.route?.asksProxy == true
        guard isBehindProxy else { return url.pathAndQuery }
        return state.url?.absoluteForm(of: url) ?? url.absoluteString
    }

    /// Gives libcurl a list, unless libcurl already has its address. libcurl does not copy the list, and the requests of a handle
    /// reuse its memory. So libcurl then reads the lines of the new request.
    private func setHeaders(_ list: UnsafeMutablePointer<curl_slist>?) {
        if list == state.givenHeaders { return }
        require("the header fields", freshet_easy_set_headers(raw, list))
        state.givenHeaders = list
    }

    private var sendsBody: Bool { !state.set.isDisjoint(with: [.body, .upload]) }

    /// Turns libcurl's decoding off. A caller that sets `Accept-Encoding` or `Range` decodes the body.
    private func resetCodings() {
        freshet_easy_set_string(raw, CURLOPT_ACCEPT_ENCODING, nil)
        state.set.insert(.codings)
    }

    private func list(_ fields: HTTPFields) {
        let (hasCodings, hasRange) = (fields.contains(.acceptEncoding), fields.contains(.range))
        if hasCodings || hasRange { resetCodings() }
        if !hasCodings, let line = RequestHead.acceptEncoding(hasRange: hasRange) {
            // The list has the line, because libcurl would print its own line twice.
            state.headers.append(line: line)
        }
        if !fields.contains(.userAgent) { state.headers.append(line: RequestHead.userAgentLine) }
        for field in fields where field.name != .contentLength {
            // An entry without a value stops libcurl from adding the line.
            if field.isLeftOut {
                state.headers.append(line: "\(field.name.rawName):")
            } else {
                state.headers.append(field)
            }
        }
    }

    private func listWhatBodiesNeed(_ transfer: CurlTransfer, _ request: Request) {
        if !request.headers.contains(.contentType) {
            state.headers.append(line: "Content-Type:" + (request.body.contentType.map { " " + $0 } ?? ""))
        }
        if state.set.contains(.upload), !request.headers.contains(.expect) {
            // By default libcurl waits a second for a `100 Continue`, which few servers send.
            state.headers.append(line: transfer.state.expectsContinue ? "Expect: 100-continue" : "Expect:")
        }
    }
}
