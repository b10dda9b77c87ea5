import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class DescriptionTests: XCTestCase {
    private struct Foreign: Error { var token = "secret" }

    func testNoPrintedOrDumpedValueContainsASecret() throws {
        let request = try Request(
            .post, "http://a/x?key=secret", headers: [.authorization: "Bearer secret"], body: .text("secret"))
        let head = HTTPResponse(status: .ok, headerFields: [.setCookie: "secret"])
        let response = Response(head: head, body: Array("secret".utf8), url: request.url)
        let error = HTTPClientError(.status, phase: .receiving, message: "no", response: response)
        let attempt = Attempt(request: request, original: request, number: 1, outcome: .response(response))
        let events: [RequestEvent] = [
            .attempt(number: 1, request: request), .redirect(status: .found, to: request.url),
            .retry(after: .zero, dueTo: attempt.outcome), .retry(after: .zero, dueTo: .failure(Foreign())),
            .head(head, url: request.url), .body(Array("secret".utf8)), .trailers([.setCookie: "secret"]),
        ]
        let parts: [ResponsePart] = [.head(head), .informational(head), .body(Array("secret".utf8))]
        let resuming = DownloadEvent.resuming(at: 1, after: .zero, dueTo: Foreign())
        let phase = TransferPhase.cache(.revalidated(head))
        let file = DownloadedFile(path: "/x", size: 1, head: head, url: request.url)
        for thing in [
            request, request.url, request.body, response, error, attempt, events, parts, resuming, phase, file,
        ] as [Any] {
            var dumped = ""
            dump(thing, to: &dumped)
            for text in [String(describing: thing), String(reflecting: thing), dumped] {
                XCTAssertFalse(text.contains("secret"), text)
                XCTAssertFalse(text.contains("115, 101, 99"), text)
            }
        }
    }
}
