import FreshetAuth
import FreshetCore
import Glibc
import XCTest

@testable import FreshetAuth

final class FileStoreHomeTests: FileStoreTestCase {
    func testATildeIsTheHomeDirectoryOfTheUser() throws {
        XCTAssertEqual(try FileStore.expandingHome(in: "~/a/b", home: "/home/ada"), "/home/ada/a/b")
        for path in ["a/~/b", "/a~", "./~/a"] {
            XCTAssertEqual(try FileStore.expandingHome(in: path, home: nil), path)
        }
    }

    func testTheHomeDirectoryOfAnotherUserOrAnUnknownOneIsAnError() {
        for (path, home) in [("~ada/a", "/home/bob"), ("~", "/home/bob"), ("~/a", nil), ("~/a", ""), ("~/a", "b")] {
            XCTAssertThrowsError(try FileStore.expandingHome(in: path, home: home)) { error in
                XCTAssertTrue("\(error)".contains("write the whole path"), "\(error)")
            }
        }
    }

    func testAPathThatNamesNoFileIsAnError() throws {
        for path in ["", "a/", "~/"] {
            let store = FileStore(path: path, scheduler: scheduler)
            XCTAssertThrowsError(try get(store.lock())) { error in
                XCTAssertTrue("\(error)".contains("names no file"), "\(error)")
            }
        }
        XCTAssertNotEqual(access(".lock", F_OK), 0)
        let directory = FileStore(path: directory, scheduler: scheduler)
        XCTAssertThrowsError(try get(directory.load())) { error in
            XCTAssertTrue("\(error)".contains("is a directory"), "\(error)")
        }
    }

    func testAnUnresolvedTildeFailsOnUseAndCreatesNothing() throws {
        let store = FileStore(path: "~nobody/api.json", scheduler: scheduler)
        XCTAssertThrowsError(try get(store.load()))
        XCTAssertThrowsError(try get(store.lock()))
        XCTAssertNotEqual(access("~nobody", F_OK), 0)
    }
}
