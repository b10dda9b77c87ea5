import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// Hands libcurl the whole head of a request as the request's target; ``RequestHead`` says how.
///
/// - Affected: all versions. libcurl prints each header line byte by byte, at about ninety instructions per byte. A request
///   with a token of 1 KiB takes twice the processor's time.
/// - Done: the target (`CURLOPT_REQUEST_TARGET`), which libcurl copies as it is, contains the header lines.
/// - Checked: once per process, before the first request. libcurl sends one request in this way to a socket of this
///   process, and exactly the expected bytes must arrive. Before the first request that may go over HTTP/2, libcurl sends
///   two more: one with the head as target, and one with the same lines in its list. Both must arrive in the same HEADERS
///   frame.
/// - Without it: the lines are in libcurl's list (``HeaderLines``).
/// - Upstream: none; that libcurl copies a target unchecked is documented nowhere.
/// - Delete it when libcurl prints header lines at a few instructions per byte.
enum HeadsAsTargets {
    /// Whether the head of a request over HTTP/1.1 goes out correctly as a target.
    static let isActive = !Quirks.areOff && passesOverHTTP1()

    /// Whether the head of a request that may go over HTTP/1.1 or HTTP/2 goes out correctly as a target.
    static let isActiveOverHTTP2 = isActive && passesOverHTTP2()

    private static let target = "/a%20path?q=1"
    private static let fields: HTTPFields = [
        .authorization: "Bearer token", .cookie: "a=b; c=d", .acceptLanguage: "en", .ifNoneMatch: "\"tag\"",
    ]

    private static func passesOverHTTP1() -> Bool {
        guard let probe = HeadProbe() else { return false }
        var head = RequestHead()
        guard head.write(fields, target: target, to: probe.url, hasBody: false) != nil else { return false }
        let expected = Array("GET \(String(cString: head.start)) HTTP/1.1\r\n\r\n".utf8)
        let came = probe.send(freshet_http_1_1, target: head.start, lines(RequestHead.replacedNames)) {
            $0.count >= expected.count
        }
        return came == expected
    }

    private static func passesOverHTTP2() -> Bool {
        guard let asTarget = HeadProbe(), let asList = HeadProbe() else { return false }
        var head = RequestHead()
        guard head.write(fields, target: target, to: asTarget.url, hasBody: false) != nil else { return false }
        var listed = lines([asTarget.url.hostLine] + RequestHead.acceptLines)
        for field in fields { listed.append(field) }
        // libcurl appends this to the target of a request over HTTP/2.
        listed.append(line: "\(RequestHead.userAgentLine) HTTP/2")
        let expected = frame(asList.send(freshet_http_2_at_once, target: target, listed) { frame($0) != nil })
        let came = frame(
            asTarget.send(freshet_http_2_at_once, target: head.start, lines(RequestHead.replacedNames)) {
                frame($0) != nil
            })
        return came != nil && came == expected
    }

    private static func lines(_ texts: [String]) -> HeaderLines {
        var lines = HeaderLines()
        for text in texts { lines.append(line: text) }
        return lines
    }

    /// The first HEADERS frame that a client sends, once all of it has come. Source: RFC 9113 sections 3.4, 4.1 and 6.2.
    static func frame(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8
        guard bytes.starts(with: preface) else { return nil }
        var rest = bytes.dropFirst(preface.count)
        while rest.count >= 9 {
            let start = rest.startIndex
            let length = 9 + rest[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= length else { return nil }
            if rest[start + 3] == 1 { return rest.prefix(length) }
            rest = rest.dropFirst(length)
        }
        return nil
    }
}

/// Makes libcurl send one request to a socket of this process, without a name to resolve, a network, a proxy or a loop.
private struct HeadProbe: ~Copyable {
    let url: CurlURL
    private let listener: Int32
    private let socketName: String

    init?() {
        guard let origin = try? RequestURL("http://127.0.0.1/").origin, let url = CurlURL(origin) else { return nil }
        var name = [CChar](repeating: 0, count: 32)
        let listener = freshet_listen_apart(&name, name.count)
        guard listener >= 0 else { return nil }
        (self.url, self.listener) = (url, listener)
        socketName = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { close(listener) }

    /// The bytes of the request that come, until `isEnough` accepts them or nothing more comes for some milliseconds.
    func send(
        _ version: Int, target: UnsafePointer<CChar>, _ lines: consuming HeaderLines, until isEnough: ([UInt8]) -> Bool
    ) -> [UInt8] {
        guard let easy = curl_easy_init() else { return [] }
        defer { curl_easy_cleanup(easy) }
        guard let multi = curl_multi_init() else { return [] }
        defer { curl_multi_cleanup(multi) }
        freshet_easy_set_url(easy, url.raw)
        freshet_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
        freshet_easy_set_string(easy, CURLOPT_PROXY, "")
        freshet_easy_set_string(easy, CURLOPT_ABSTRACT_UNIX_SOCKET, socketName)
        freshet_easy_set_open_socket(easy) { _, _, address in
            // If libcurl does not know the option for the abstract socket, it would connect elsewhere.
            guard address!.pointee.family == AF_UNIX else { return freshet_socket_bad }
            return max(freshet_open_socket(address), freshet_socket_bad)
        }
        freshet_easy_set_long(easy, CURLOPT_HTTP_VERSION, version)
        freshet_easy_set_string(easy, CURLOPT_REQUEST_TARGET, target)
        freshet_easy_set_headers(easy, lines.list())
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return [] }
        defer { curl_multi_remove_handle(multi, easy) }
        return drive(multi, until: isEnough)
    }

    private func drive(_ multi: UnsafeMutableRawPointer, until isEnough: ([UInt8]) -> Bool) -> [UInt8] {
        var (bytes, peer, running) = ([UInt8](), Int32(-1), Int32(1))
        var buffer = [UInt8](repeating: 0, count: 4096)
        defer { if peer >= 0 { close(peer) } }
        for round in 0..<50 where running > 0 && !isEnough(bytes) {
            // The first rounds hardly ever have to wait.
            if round > 2 { curl_multi_poll(multi, nil, 0, 1, nil) }
            curl_multi_perform(multi, &running)
            if peer < 0 { peer = accept(listener, nil, nil) }
            guard peer >= 0 else { continue }
            let count = freshet_take(peer, &buffer, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) }
        }
        return bytes
    }
}
