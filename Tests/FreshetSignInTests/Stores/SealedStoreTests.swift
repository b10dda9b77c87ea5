import Dispatch
import Foundation
import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetStoreTesting
import FreshetTesting
import StoreKinds
import XCTest

@testable import FreshetSignIn

final class SealedStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A key that a test can change.
    private final class Key: SealingKey {
        let name = "test"
        let bytes = Locked<[UInt8]?>([UInt8](repeating: 7, count: 32))

        func bytes(creating: Bool) throws -> [UInt8]? { bytes.withLock { $0 } }
    }

    private func result<Value>(_ single: Single<Value>, _ fixture: DirectoryFixture) throws -> Value {
        let ending = Locked<Result<Value, any Error>?>(nil)
        let subscription = single.subscribe { event in ending.withLock { $0 = event } }
        XCTAssertTrue(fixture.wait { ending.withLock { $0 != nil } })
        subscription.dispose()
        return try XCTUnwrap(ending.withLock { $0 }).get()
    }

    private func message(_ body: () throws -> Void) -> String {
        let outcome = Result { try body() }
        guard case .failure(let error) = outcome else { return "" }
        XCTAssertTrue(error is StoreError, "\(error)")
        return "\(error)"
    }

    private func save(_ token: String, in store: any CredentialStore, _ fixture: DirectoryFixture) throws {
        let lease = try result(store.lock(), fixture)
        defer { lease.unlock() }
        try result(lease.save(StoredCredential(credential: Credential(accessToken: token), version: 1)), fixture)
    }

    func testASealedStoreMeetsTheRequirementsOfAStore() {
        let key = Key()
        XCTAssertEqual(
            conformanceFailures { DirectoryFixture { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) } },
            [])
    }

    func testTheSealedFileContainsNoTokenAndDiffersEachTime() throws {
        let key = Key()
        let fixture = DirectoryFixture { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) }
        defer { fixture.close() }
        let store = try fixture.makeStore()
        let files = try (1...2).map { _ in
            try save("s3cret-token", in: store, fixture)
            return try Data(contentsOf: URL(filePath: "\(fixture.directory)/store"))
        }
        XCTAssertNotEqual(files[0], files[1])
        XCTAssertTrue(files[0].starts(with: Data("freshet-sealed-1\ntest\n".utf8)))
        XCTAssertNil(files[0].range(of: Data("s3cret".utf8)))
    }

    /// A new key that is made unasked would hide the loss of the session.
    func testAMissingOrWrongKeyIsAStoreError() throws {
        let key = Key()
        let fixture = DirectoryFixture { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) }
        defer { fixture.close() }
        let store = try fixture.makeStore()
        try save("a", in: store, fixture)
        key.bytes.withLock { $0 = [UInt8](repeating: 8, count: 32) }
        XCTAssertTrue(message { _ = try result(store.load(), fixture) }.contains("key is another one"))
        key.bytes.withLock { $0 = nil }
        XCTAssertTrue(message { _ = try result(store.load(), fixture) }.contains("is missing"))
        XCTAssertTrue(message { try save("b", in: store, fixture) }.contains("is missing"))
        key.bytes.withLock { $0 = [UInt8](repeating: 7, count: 32) }
        XCTAssertEqual(try result(store.load(), fixture).credential?.accessToken, "a")
    }

    func testAKeyThatWasMovedOpensTheStoreUnderItsNewName() throws {
        let fixture = DirectoryFixture { FileStore(path: "\($0)/store", scheduler: $1) }
        defer { fixture.close() }
        _ = try fixture.makeStore()
        let path = "\(fixture.directory)/store"
        func store(_ name: String, _ byte: UInt8?) -> FileStore {
            let key = FixtureKey(name: name, bytes: byte.map { [UInt8](repeating: $0, count: 32) })
            return FileStore.sealed(path: path, key: key, scheduler: fixture.scheduler)
        }
        try save("a", in: store("file:k1", 7), fixture)
        XCTAssertEqual(try result(store("file:k2", 7).load(), fixture).credential?.accessToken, "a")
        try save("b", in: store("file:k2", 7), fixture)
        XCTAssertEqual(try result(store("file:k1", 7).load(), fixture).credential?.accessToken, "b")
        for (byte, problem) in [(8, "does not open it"), (nil, "is missing")] as [(UInt8?, String)] {
            let text = message { _ = try result(store("file:k3", byte).load(), fixture) }
            XCTAssertTrue(text.contains("sealed with the key file:k2, and the key file:k3 \(problem)"), text)
        }
    }

    private struct FixtureKey: SealingKey {
        let name: String
        let bytes: [UInt8]?

        func bytes(creating: Bool) throws -> [UInt8]? { bytes }
    }

    func testAFileThatIsCutOffIsNotBlamedOnItsKey() throws {
        let fixture = DirectoryFixture { FileStore.sealed(path: "\($0)/store", key: Key(), scheduler: $1) }
        defer { fixture.close() }
        let store = try fixture.makeStore()
        try save("a", in: store, fixture)
        let path = "\(fixture.directory)/store"
        try Data(contentsOf: URL(fileURLWithPath: path)).prefix(20).write(to: URL(fileURLWithPath: path))
        XCTAssertTrue(message { _ = try result(store.load(), fixture) }.contains("is damaged"))
    }

    /// The refresh token has been spent between the two, and only this record has its successor.
    func testAKeyThatDisappearsAfterTheReadStillSealsTheRecord() throws {
        let key = Key()
        let fixture = DirectoryFixture { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) }
        defer { fixture.close() }
        let store = try fixture.makeStore()
        try save("a", in: store, fixture)
        let lease = try result(store.lock(), fixture)
        let stored = try result(lease.load(), fixture)
        let bytes = key.bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
        try result(lease.save(stored.successor(Credential(accessToken: "b"))), fixture)
        lease.unlock()
        XCTAssertTrue(message { _ = try result(store.load(), fixture) }.contains("is missing"))
        XCTAssertTrue(
            message { try save("c", in: store, fixture) }.contains("is missing"), "the next one reads it anew")
        key.bytes.withLock { $0 = bytes }
        XCTAssertEqual(try result(store.load(), fixture).credential?.accessToken, "b")
    }

    /// aptos-labs/aptos-core PR#19077: without authenticated data records could be swapped between stores.
    func testARecordOfAnotherStoreWithTheSameKeyIsRefused() throws {
        let key = Key()
        let fixture = DirectoryFixture { FileStore.sealed(path: "\($0)/work/store", key: key, scheduler: $1) }
        defer { fixture.close() }
        for other in ["work/other", "home/store"] {
            let (path, otherPath) = ("\(fixture.directory)/work/store", "\(fixture.directory)/\(other)")
            let store = FileStore.sealed(path: otherPath, key: key, scheduler: fixture.scheduler)
            try save("a", in: fixture.makeStore(), fixture)
            try save("b", in: store, fixture)
            try swap(path, otherPath)
            for swapped in [try fixture.makeStore(), store] {
                XCTAssertTrue(message { _ = try result(swapped.load(), fixture) }.contains("can't be opened"), other)
            }
            try swap(path, otherPath)
            XCTAssertEqual(try result(store.load(), fixture).credential?.accessToken, "b")
        }
    }

    private func swap(_ one: String, _ other: String) throws {
        for (old, new) in [(one, "\(one).old"), (other, one), ("\(one).old", other)] {
            try FileManager.default.moveItem(atPath: old, toPath: new)
        }
    }

    func testAllPathsOfAFileOpenOneRecord() throws {
        let key = Key()
        let fixture = DirectoryFixture { FileStore.sealed(path: "\($0)/real/store", key: key, scheduler: $1) }
        defer { fixture.close() }
        mkdir("\(fixture.directory)/real", 0o700)
        symlink("real", "\(fixture.directory)/folder")
        symlink("real/store", "\(fixture.directory)/link")
        let paths = ["real/store", "folder/store", "link", "folder/../real/store", "link"]
        for (number, path) in paths.enumerated() {
            let named = FileStore.sealed(path: "\(fixture.directory)/\(path)", key: key, scheduler: fixture.scheduler)
            if number == 0 || number == 2 { unlink("\(fixture.directory)/real/store") }
            try save("t\(number)", in: named, fixture)
            XCTAssertEqual(try result(fixture.makeStore().load(), fixture).credential?.accessToken, "t\(number)", path)
            XCTAssertEqual(try result(named.load(), fixture).credential?.accessToken, "t\(number)", path)
        }
    }

    func testAKeyFileContainsRawBytesHexadecimalDigitsOrBase64() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID())").path()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = "\(directory)/k"
        let bytes = (0..<32).map { UInt8($0 + 200) }
        let hex = bytes.map { String($0, radix: 16) }.joined()
        for text in [Data(bytes), Data((hex + "\n").utf8), Data(bytes).base64EncodedData()] {
            try text.write(to: URL(filePath: path))
            chmod(path, 0o600)
            XCTAssertEqual(try FileSealingKey(path: path).bytes(creating: true), bytes)
        }
        let named = try FileSealingKey(credential: "k", environment: ["CREDENTIALS_DIRECTORY": directory])
        XCTAssertEqual(try named.bytes(creating: false), bytes)
        chmod(path, 0o644)
        XCTAssertNotEqual(message { _ = try FileSealingKey(path: path).bytes(creating: false) }, "")
        try Data("short".utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
        XCTAssertFalse(message { _ = try FileSealingKey(path: path).bytes(creating: false) }.contains("short"))
        try Data(String(repeating: "\u{FF11}", count: 64).utf8).write(to: URL(filePath: path))
        XCTAssertThrowsError(try FileSealingKey(path: path).bytes(creating: false), "digits that are not ASCII")
        unlink(path)
        mkfifo(path, 0o600)
        XCTAssertNotEqual(message { _ = try FileSealingKey(path: path).bytes(creating: false) }, "", "it must not hang")
        XCTAssertNil(try FileSealingKey(path: "\(directory)/none").bytes(creating: true))
        XCTAssertThrowsError(try FileSealingKey(credential: "k", environment: [:]))
    }

    func testOnlyItsOwnNameOpensTheKeyInTheKeyring() throws {
        let keyring = try testKeyring()
        defer { keyring.remove() }
        let fixture = DirectoryFixture { FileStore.keyring(keyring.name, path: "\($0)/store", scheduler: $1) }
        defer { fixture.close() }
        let store = try fixture.makeStore()
        XCTAssertNil(try result(store.load(), fixture).credential)
        try save("s3cret", in: store, fixture)
        XCTAssertEqual(try result(store.load(), fixture).credential?.accessToken, "s3cret")
        let other = FileStore.keyring(
            "\(keyring.name)-2", path: "\(fixture.directory)/store", scheduler: fixture.scheduler)
        XCTAssertNotEqual(message { _ = try result(other.load(), fixture) }, "", "another key opens nothing")
        try FileManager.default.moveItem(atPath: "\(fixture.directory)/store", toPath: "\(fixture.directory)/moved")
        let moved = FileStore.keyring(keyring.name, path: "\(fixture.directory)/moved", scheduler: fixture.scheduler)
        XCTAssertNil(try result(moved.load(), fixture).credential, "a record of another path is none")
    }

    func testAHelperOfDockerStoresTheRecordAndTheFileDoesNot() throws {
        let helper = try TestHelper()
        helper.install()
        let fixture = DirectoryFixture(onClose: helper.remove) {
            try FileStore.helper(helper.name, server: "https://freshet.invalid/p", path: "\($0)/store", scheduler: $1)
        }
        defer { fixture.close() }
        let store = try fixture.makeStore()
        XCTAssertNil(try result(store.load(), fixture).credential)
        try save("s3cret", in: store, fixture)
        XCTAssertEqual(try result(store.load(), fixture).credential?.accessToken, "s3cret")
        let file = try String(contentsOfFile: "\(fixture.directory)/store", encoding: .utf8)
        XCTAssertFalse(file.contains("s3cret"), file)
        let missing = try FileStore.helper(
            "freshet-none", server: "x", path: "\(fixture.directory)/s2", scheduler: fixture.scheduler)
        XCTAssertTrue(message { _ = try result(missing.load(), fixture) }.contains("docker-credential-freshet-none"))
        for name in ["", "a/b", "a b", "$x"] {
            XCTAssertThrowsError(try HelperCoding(helper: name, server: "x"), name)
        }
    }

    func testTwoStoresThatCreateOneKeyAtTheSameTimeUseTheSameKey() throws {
        for _ in 0..<50 {
            let keyring = try testKeyring()
            defer { keyring.remove() }
            let keys = Locked<[[UInt8]?]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                let key = try? KeyringSealingKey(name: keyring.name).bytes(creating: true)
                keys.withLock { $0.append(key) }
            }
            let kept = try KeyringSealingKey(name: keyring.name).bytes(creating: false)
            XCTAssertTrue(keys.withLock { $0 } == [kept, kept], "a key that the keyring does not keep seals a store")
        }
    }
}
