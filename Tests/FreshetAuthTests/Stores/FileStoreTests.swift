import FoundationEssentials
import FreshetCore
import FreshetHTTP
import FreshetStoreTesting
import FreshetTesting
import Glibc
import XCTest

@testable import FreshetAuth

final class FileStoreTests: FileStoreTestCase {
    func testAFileStoreMeetsTheRequirementsOfAStore() {
        XCTAssertEqual(conformanceFailures { FileFixture() }, [])
    }

    func testTheErrorOfALockThatIsHeldTooLongNamesItsFile() {
        let error = RefreshFailure.failed(RefreshTimeout(lock: store().lockName), isFirst: false).clientError
        XCTAssertTrue(error.message.contains("may hold its lock \(path).lock"), error.message)
    }

    func testARecordThatIsTooLongToBeReadIsNotWritten() throws {
        let lease = try get(store().lock())
        let long = Credential(accessToken: String(repeating: "a", count: 1 << 20))
        XCTAssertThrowsError(try get(lease.save(StoredCredential(credential: long, version: 1)))) { error in
            XCTAssertTrue("\(error)".contains("too long"), "\(error)")
        }
        XCTAssertEqual(try get(store().load()), .empty)
    }

    func testASavedRecordIsReadByAnotherStoreAndHasTheDocumentedJSON() throws {
        let record = StoredCredential(
            credential: Credential(accessToken: "a/\"1", refreshToken: "r1", expiresAt: 1_700_000_000), version: 3)
        try save(record, in: store())
        XCTAssertEqual(try get(store().load()), record)
        XCTAssertEqual(
            try String(contentsOfFile: path, encoding: .utf8),
            #"{"access_token":"a/\"1","expires_at":1700000000,"refresh_token":"r1","version":3}"# + "\n")
        try save(StoredCredential(credential: pair(4), version: 4, isRefused: true), in: store())
        XCTAssertEqual(try get(store().load()).isRefused, true)
        try save(StoredCredential(version: 5), in: store())
        XCTAssertEqual(try get(store().load()), StoredCredential(version: 5))
    }

    func testTheFileAndItsLockAreAccessibleToTheUserOnlyWhateverTheUmask() throws {
        let before = umask(0)
        defer { umask(before) }
        try save(stored(1), in: store())
        umask(0o777)
        try save(stored(2), in: store())
        XCTAssertEqual(try get(store().load()), stored(2))
        for (file, mode) in [(path, 0o600), (path + ".lock", 0o600), (directory + "/sub", 0o700)] {
            var status = stat()
            XCTAssertEqual(stat(file, &status), 0)
            XCTAssertEqual(Int(status.st_mode & 0o7777), mode, file)
        }
    }

    func testAReaderNeverSeesAPartOfAFile() throws {
        try save(stored(1), in: store())
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        try save(stored(2), in: store())
        var buffer = [UInt8](repeating: 0, count: 200)
        let count = read(reader, &buffer, buffer.count)
        XCTAssertTrue(String(decoding: buffer[..<count], as: UTF8.self).contains("a1"), "the old file is whole")
        XCTAssertEqual(try get(store().load()), stored(2))
    }

    func testATemporaryFileOfACrashIsReplaced() throws {
        try save(stored(1), in: store())
        XCTAssertTrue(FileManager.default.createFile(atPath: path + ".tmp", contents: Data("half".utf8)))
        try save(stored(2), in: store())
        XCTAssertEqual(try get(store().load()), stored(2))
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: directory + "/sub").sorted(),
            ["api.json", "api.json.lock"])
    }

    /// A service without logins could not get its first credential.
    func testAFileWithoutAByteIsAnEmptyStore() throws {
        try write("")
        XCTAssertEqual(try get(store().load()), .empty)
        try save(stored(1), in: store())
        XCTAssertEqual(try get(store().load()), stored(1))
    }

    /// It counted as empty, and the next write removed the token.
    func testARecordWithARefreshTokenAloneIsACredential() throws {
        for accessToken in ["", #""access_token":null,"#] {
            try write(#"{\#(accessToken)"refresh_token":"r1","scope":"a"}"#)
            let credential = try XCTUnwrap(try get(store().load()).credential)
            XCTAssertEqual(credential, Credential(refreshToken: "r1"))
            XCTAssertEqual([credential.hasAccessToken, credential.isExpired(at: 1)], [false, true])
            XCTAssertEqual(credential.details.scope, "a")
        }
    }

    func testGarbageIsAStoreErrorThatNamesTheFileAndNoSecret() throws {
        for text in ["{", "[]", #"{"access_token": 1}"#, #"{"access_token": "secret\n"}"#, #"{"access_tok"#] {
            try write(text)
            XCTAssertThrowsError(try get(store().load()), text) { error in
                XCTAssertTrue("\(error)".contains(path))
                XCTAssertFalse("\(error)".contains("secret"))
            }
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), text, "and stays as it is")
        }
    }

    func testAGateOverADamagedFileRequiresALoginWhichRepairsTheFile() throws {
        try write(#"{"access_to"#)
        let bench = GateBench(on: scheduler, store: store())
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .store)
        XCTAssertEqual(bench.announced, [.noCredential])
        _ = try XCTUnwrap(bench.result(bench.gate.login(pair(7)))).get()
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "a7")
        XCTAssertEqual(bench.announced, [.noCredential])
    }

    func testAMoveToAnotherNameOfTheSameFileFailsAndKeepsTheLogin() throws {
        try save(StoredCredential(credential: Credential(accessToken: "a"), version: 1), in: store())
        let link = directory + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for other in [path, link] {
            let target = FileStore(path: other, scheduler: scheduler)
            let ending = Ending<StoredCredential>()
            let moving = store().moveCredential(to: target).subscribe { ending.set($0) }
            scheduler.advanceBy(1000)
            moving.dispose()
            XCTAssertThrowsError(try XCTUnwrap(ending.value).get()) { XCTAssertTrue($0 is StoreError, "\($0)") }
        }
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "a")
    }
}

private final class FileFixture: VirtualFixture, StoreFixture {
    private let directory: String
    private var path: String { directory + "/sub/api.json" }

    override init() {
        var template = Array("/tmp/freshet-store-XXXXXX".utf8CString)
        directory = String(cString: mkdtemp(&template))
    }

    func makeStore() -> any CredentialStore { FileStore(path: path, scheduler: scheduler) }

    func spoil() -> Bool {
        mkdir(directory + "/sub", 0o700)
        return FileManager.default.createFile(atPath: path, contents: Data("garbage".utf8))
    }

    func loseLock() -> Bool {
        unlink(path + ".lock")
        return true
    }

    func close() { try? FileManager.default.removeItem(atPath: directory) }
}
