import Foundation
import Freshet
import FreshetTesting
import StoreKinds
import XCTest

/// The kinds of store that keep their record or their lock in a file.
enum StoreKind {
    case file, sealedWithAKeyFile, sealedWithACredential, sealedWithTheKeyring, keyring, helper

    /// Whether the file must not contain the tokens as plain text.
    var isSecret: Bool { self != .file }
}

/// A store of some kind in a directory of its own, which is empty at first, with the key or the helper that it needs.
struct StoreSite {
    let kind: StoreKind
    /// The location in the form that a profile uses.
    let location: String
    let path: String
    /// The environment of all programs that use the store.
    var environment: [String: String] = [:]
    /// The path of the file with the key.
    private(set) var keyFile: String?
    private let open: (any SchedulerType) -> FileStore
    private var helper: TestHelper?

    var directory: String { (path as NSString).deletingLastPathComponent }
    var name: String { (path as NSString).lastPathComponent }
    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() } }

    /// - Throws: `XCTSkip` where the kernel forbids the keyring.
    init(_ kind: StoreKind, in test: ProfileTestCase) throws {
        self.kind = kind
        let state = try test.temporaryDirectory().path
        let directory = "\(state)/freshet"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let file = "\(directory)/store.json"
        environment["XDG_STATE_HOME"] = state
        switch kind {
        case .file:
            (location, path) = ("file:\(file)", file)
            open = { FileStore(path: file, scheduler: $0) }
        case .sealedWithAKeyFile, .sealedWithACredential:
            let key = try Self.newKey(in: test)
            keyFile = key
            let credentials = ["CREDENTIALS_DIRECTORY": (key as NSString).deletingLastPathComponent]
            let isCredential = kind == .sealedWithACredential
            let sealing =
                try isCredential
                ? FileSealingKey(credential: "key", environment: credentials) : FileSealingKey(path: key)
            environment.merge(isCredential ? credentials : [:]) { $1 }
            (location, path) = ("sealed:\(file)?key=\(sealing.name)", file)
            open = { FileStore.sealed(path: file, key: sealing, scheduler: $0) }
        case .sealedWithTheKeyring:
            let key = KeyringSealingKey(name: try Self.keyring(for: test).name)
            XCTAssertNotNil(try key.bytes(creating: true))
            (location, path) = ("sealed:\(file)?key=\(key.name)", file)
            open = { FileStore.sealed(path: file, key: key, scheduler: $0) }
        case .keyring:
            let name = try Self.keyring(for: test).name
            let file = "\(directory)/keyring-\(name).sealed"
            (location, path) = ("keyring:\(name)", file)
            open = { FileStore.keyring(name, path: file, scheduler: $0) }
        case .helper:
            let helper = try TestHelper()
            test.atTheEnd(helper.remove)
            self.helper = helper
            environment["PATH"] = "\(helper.folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            location = "helper:docker-credential-\(helper.name)"
            path = "\(directory)/helper-\(helper.name)-p"
            open = { _ in fatalError("its helper is not on this program's search path") }
        }
    }

    /// The record, as JSON.
    func record() throws -> [String: Any] {
        func object(_ data: Data) throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        }
        if let helper {
            let entry = try object(Data(contentsOf: URL(fileURLWithPath: helper.secret)))
            return try object(Data((entry["Secret"] as? String ?? "").utf8))
        }
        let clock = TestScheduler(initialClock: 0)
        let result = Locked<SingleEvent<StoredCredential>?>(nil)
        let reading = open(clock).load().subscribe { event in result.withLock { $0 = event } }
        clock.start()
        reading.dispose()
        return try object(Data(XCTUnwrap(result.withLock { $0 }).get().json()))
    }

    /// The files in the store's directory that contain a token as plain text.
    func filesWithATokenInThem() throws -> [String] {
        let words = ["access-", "refresh-", "_token"].map { Data($0.utf8) }
        return try files.filter { file in
            let content = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(file)"))
            return words.contains { content.range(of: $0) != nil }
        }
    }

    private static func newKey(in test: XCTestCase) throws -> String {
        let path = try test.temporaryFile(String(repeating: "0123456789abcdef", count: 4), named: "key")
        chmod(path, 0o600)
        return path
    }

    private static func keyring(for test: CommandLineTestCase) throws -> TestKeyring {
        do {
            let keyring = try TestKeyring()
            test.atTheEnd(keyring.remove)
            return keyring
        } catch {
            throw XCTSkip("not checked: \(error)")
        }
    }
}
