import Foundation
import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetStoreTesting
import FreshetTesting
import XCTest

@testable import FreshetSignIn

final class SealedStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A key that a test changes.
    private final class Key: SealingKey {
        let name = "test"
        let bytes = Locked<[UInt8]?>([UInt8](repeating: 7, count: 32))

        func bytes(creating: Bool) throws -> [UInt8]? { bytes.withLock { $0 } }
    }

    private func result<Value>(_ single: Single<Value>, _ place: DirectoryPlace) throws -> Value {
        let ending = Locked<Result<Value, any Error>?>(nil)
        let subscription = single.subscribe { event in ending.withLock { $0 = event } }
        XCTAssertTrue(place.waitUntil { ending.withLock { $0 != nil } })
        subscription.dispose()
        return try XCTUnwrap(ending.withLock { $0 }).get()
    }

    private func message(_ body: () throws -> Void) -> String {
        let outcome = Result { try body() }
        guard case .failure(let error) = outcome else { return "" }
        XCTAssertTrue(error is StoreError, "\(error)")
        return "\(error)"
    }

    private func save(_ token: String, in store: any CredentialStore, _ place: DirectoryPlace) throws {
        let lease = try result(store.lock(), place)
        defer { lease.unlock() }
        try result(lease.save(StoredCredential(credential: Credential(accessToken: token), version: 1)), place)
    }

    func testItKeepsWhatEveryStorePromises() {
        let key = Key()
        XCTAssertEqual(
            brokenPromises { DirectoryPlace { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) } }, [])
    }

    func testTheFileContainsNoTokenAndAnotherOneEachTime() throws {
        let key = Key()
        let place = DirectoryPlace { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) }
        defer { place.close() }
        let store = try place.makeStore()
        let files = try (1...2).map { _ in
            try save("s3cret-token", in: store, place)
            return try Data(contentsOf: URL(filePath: "\(place.directory)/store"))
        }
        XCTAssertNotEqual(files[0], files[1])
        XCTAssertTrue(files[0].starts(with: Data("freshet-sealed-1\ntest\n".utf8)))
        XCTAssertNil(files[0].range(of: Data("s3cret".utf8)))
    }

    /// A new key that nobody asked for would have hidden the loss of the session.
    func testAKeyThatIsGoneOrWrongIsAStoreError() throws {
        let key = Key()
        let place = DirectoryPlace { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) }
        defer { place.close() }
        let store = try place.makeStore()
        try save("a", in: store, place)
        key.bytes.withLock { $0 = [UInt8](repeating: 8, count: 32) }
        XCTAssertTrue(message { _ = try result(store.load(), place) }.contains("key is another one"))
        key.bytes.withLock { $0 = nil }
        XCTAssertTrue(message { _ = try result(store.load(), place) }.contains("is missing"))
        XCTAssertTrue(message { try save("b", in: store, place) }.contains("is missing"))
        key.bytes.withLock { $0 = [UInt8](repeating: 7, count: 32) }
        XCTAssertEqual(try result(store.load(), place).credential?.accessToken, "a")
    }

    /// aptos-labs/aptos-core PR#19077: without authenticated data records could be swapped.
    func testARecordOfAnotherStoreIsNotOpened() throws {
        let key = Key()
        let place = DirectoryPlace { FileStore.sealed(path: "\($0)/store", key: key, scheduler: $1) }
        defer { place.close() }
        try save("a", in: place.makeStore(), place)
        let other = FileStore.sealed(path: "\(place.directory)/other", key: key, scheduler: place.scheduler)
        try FileManager.default.copyItem(atPath: "\(place.directory)/store", toPath: "\(place.directory)/other")
        XCTAssertNotEqual(message { _ = try result(other.load(), place) }, "")
    }

    func testAKeyFileHasRawBytesHexadecimalDigitsOrBase64() throws {
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
        XCTAssertNil(try FileSealingKey(path: "\(directory)/none").bytes(creating: true))
        XCTAssertThrowsError(try FileSealingKey(credential: "k", environment: [:]))
    }

    func testTheKernelsKeyringKeepsAKeyOrSaysThatItMayNot() throws {
        let name = "freshet-test-\(UUID())"
        let key = KeyringSealingKey(name: name)
        switch Result(catching: { try key.bytes(creating: false) }) {
        case .success(let bytes): XCTAssertNil(bytes)
        case .failure(let error):
            // In a container that forbids the calls.
            return XCTAssertTrue("\(error)".contains("keyring"), "\(error)")
        }
        let place = DirectoryPlace { FileStore.keyring(name, path: "\($0)/store", scheduler: $1) }
        defer { place.close() }
        let store = try place.makeStore()
        XCTAssertNil(try result(store.load(), place).credential)
        try save("s3cret", in: store, place)
        XCTAssertEqual(try result(store.load(), place).credential?.accessToken, "s3cret")
        let other = FileStore.keyring("\(name)-2", path: "\(place.directory)/store", scheduler: place.scheduler)
        XCTAssertNotNil(message { _ = try result(other.load(), place) }, "another key opens nothing")
    }

    func testAHelperOfDockerKeepsWhatEveryStorePromises() throws {
        let place = DirectoryPlace(canBeSpoilt: false) { directory, scheduler in
            try Self.helper(in: directory)
            return try FileStore.helper(
                "freshettest", server: "https://freshet.invalid/p", path: "\(directory)/store", scheduler: scheduler)
        }
        defer { place.close() }
        let store = try place.makeStore()
        XCTAssertNil(try result(store.load(), place).credential)
        try save("s3cret", in: store, place)
        XCTAssertEqual(try result(store.load(), place).credential?.accessToken, "s3cret")
        let file = try String(contentsOfFile: "\(place.directory)/store", encoding: .utf8)
        XCTAssertFalse(file.contains("s3cret"), file)
        let missing = try FileStore.helper(
            "freshet-none", server: "x", path: "\(place.directory)/s2", scheduler: place.scheduler)
        XCTAssertTrue(message { _ = try result(missing.load(), place) }.contains("docker-credential-freshet-none"))
        for name in ["", "a/b", "a b", "$x"] {
            XCTAssertThrowsError(try HelperCoding(helper: name, server: "x"), name)
        }
    }

    /// A helper in the language of the shell, on the search path.
    private static func helper(in directory: String) throws {
        let path = "\(directory)/docker-credential-freshettest"
        if FileManager.default.fileExists(atPath: path) { return }
        try """
        #!/bin/sh
        case $1 in
        store) cat > "\(directory)/secret" ;;
        get) cat > /dev/null; test -f "\(directory)/secret" && exec cat "\(directory)/secret"
             echo "credentials not found in native keychain"; exit 1 ;;
        esac
        """.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o755)
        setenv("PATH", "\(directory):\(ProcessInfo.processInfo.environment["PATH"] ?? "")", 1)
    }
}
