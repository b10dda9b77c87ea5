import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTP

/// Tests that a resumable download writes nothing through what another program has put in the place of its part.
final class LinkedPartTests: DownloadTestCase {
    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target)
    }

    /// Fails to download, because `name` is not a file of a download.
    private func refuse(_ name: String, file: StaticString = #filePath, line: UInt = #line) throws {
        let error = try download { $0.isResumable = true }.error
        XCTAssertEqual(error?.code, .invalidRequest, file: file, line: line)
        XCTAssertTrue(
            error?.message.hasSuffix("/\(name) can't be replaced: no download has left it") ?? false, "\(error as Any)",
            file: file, line: line)
        XCTAssertEqual(transport.requests.count, 0, file: file, line: line)
    }

    func testALinkInPlaceOfAPartOrItsRecordIsRefused() throws {
        for name in ["file.part", "file.part.info"] {
            for text in ["mine", ""] {
                put(text, "other")
                try link(name, to: "other")
                try refuse(name)
                XCTAssertEqual(content("other"), text)
                XCTAssertEqual(names, [name, "other"])
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
    }

    func testALinkToAMissingFileMakesNoFile() throws {
        for name in ["file.part", "file.part.info"] {
            try link(name, to: "missing")
            try refuse(name)
            XCTAssertEqual(names, [name])
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    func testAPipeInPlaceOfAPartOrItsRecordIsRefused() throws {
        for name in ["file.part", "file.part.info"] {
            XCTAssertEqual(mkfifo("\(folder)/\(name)", 0o600), 0)
            try refuse(name)
            XCTAssertEqual(names, [name])
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    func testAForeignFileInPlaceOfARecordIsRefusedWithAndWithoutAPart() throws {
        for part in ["mine", nil] {
            if let part { put(part, "file.part") }
            put("unrelated", "file.part.info")
            try refuse("file.part.info")
            XCTAssertEqual(content("file.part"), part)
            XCTAssertEqual(content("file.part.info"), "unrelated")
            try FileManager.default.removeItem(atPath: "\(folder)/file.part.info")
            if part != nil { try FileManager.default.removeItem(atPath: "\(folder)/file.part") }
        }
    }

    func testAPartThatHasBecomeALinkWithItsRecordIsNotContinued() throws {
        let tagged: HTTPFields = [.eTag: "\"v1\""]
        transport.enqueue(ScriptedResponse(headers: tagged, body: "hello world").truncated(after: 5))
        XCTAssertNotNil(try download { $0.isResumable = true }.error)
        put("mine", "other")
        try FileManager.default.removeItem(atPath: "\(folder)/file.part")
        try link("file.part", to: "other")
        let error = try download { $0.isResumable = true }.error
        XCTAssertEqual(error?.code, .invalidRequest)
        XCTAssertEqual(content("other"), "mine")
        XCTAssertEqual(transport.requests.count, 1)
    }

    /// The folder is the user's choice, and so is a link to the file itself.
    func testLinksToTheFileAndToItsFolderAreFollowed() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/real", withIntermediateDirectories: false)
        try link("folder", to: "real")
        try link("real/file", to: "target")
        transport.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world").truncated(after: 5))
        XCTAssertNotNil(try download(to: "\(folder)/folder/file") { $0.isResumable = true }.error)
        XCTAssertEqual(content("real/target.part"), "hello")
        var rest = ScriptedResponse(status: .partialContent, headers: [.eTag: "\"v1\""], body: " world")
        rest.headers[.contentRange] = "bytes 5-10/11"
        transport.enqueue(rest)
        XCTAssertNotNil(try download(to: "\(folder)/folder/file") { $0.isResumable = true }.file)
        XCTAssertEqual(content("real/target"), "hello world")
    }
}
