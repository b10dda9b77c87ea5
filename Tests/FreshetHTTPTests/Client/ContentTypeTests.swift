import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the content type that a client sends with a body.
final class ContentTypeTests: StubbedTestCase {
    func testAMultipartTypeOfTheRequestGetsTheBoundaryOfTheForm() throws {
        let form = RequestBody.multipart(MultipartForm(boundary: "b"))
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        for (type, expected) in [
            ("multipart/form-data", "multipart/form-data; boundary=b"),
            ("Multipart/related; type=a", "Multipart/related; type=a; boundary=b"),
            ("multipart/form-data; Boundary=c", "multipart/form-data; Boundary=c"), ("text/plain", "text/plain"),
        ] {
            transport.enqueue(ScriptedResponse())
            let request = try Request(.post, "http://a/", headers: [.contentType: type], body: form)
            let subscription = client.send(request).subscribe()
            scheduler.start()
            subscription.dispose()
            XCTAssertEqual(transport.requests.last?.headers[.contentType], expected)
        }
    }
}
