import Foundation
import FreshetAuth
import FreshetStoreTesting
import StoreKinds
import XCTest

@testable import FreshetSignIn

/// Tests the promises of every store with each kind of store and each form of key.
final class StorePromisesTests: XCTestCase {
    func testAStoreSealedWithAKeyFileKeepsWhatEveryStorePromises() {
        XCTAssertEqual(brokenPromises { sealedPlace { FileSealingKey(path: "\($0)/key") } }, [])
    }

    func testAStoreSealedWithACredentialOfTheServiceKeepsWhatEveryStorePromises() {
        let broken = brokenPromises {
            sealedPlace { try FileSealingKey(credential: "key", environment: ["CREDENTIALS_DIRECTORY": $0]) }
        }
        XCTAssertEqual(broken, [])
    }

    func testAStoreSealedWithAKeyOfTheKeyringKeepsWhatEveryStorePromises() throws {
        let keyring = try testKeyring()
        defer { keyring.remove() }
        let key = KeyringSealingKey(name: keyring.name)
        XCTAssertNotNil(try key.bytes(creating: true))
        XCTAssertEqual(brokenPromises { sealedPlace { _ in key } }, [])
    }

    func testAStoreInTheKeyringKeepsWhatEveryStorePromises() throws {
        try testKeyring().remove()
        let broken = brokenPromises {
            let keyring = try testKeyring()
            return DirectoryPlace(onClose: keyring.remove) {
                FileStore.keyring(keyring.name, path: "\($0)/store", scheduler: $1)
            }
        }
        XCTAssertEqual(broken, [])
    }

    func testAStoreInAHelperOfDockerKeepsWhatEveryStorePromises() {
        let broken = brokenPromises {
            let helper = try TestHelper()
            helper.install()
            return DirectoryPlace(record: helper.secret, onClose: helper.remove) {
                try FileStore.helper(
                    helper.name, server: "https://freshet.invalid/p", path: "\($0)/store", scheduler: $1)
            }
        }
        XCTAssertEqual(broken, [])
    }

    /// A place whose directory also has a file with a key.
    private func sealedPlace(_ key: @escaping (String) throws -> any SealingKey) -> DirectoryPlace {
        DirectoryPlace { directory, scheduler in
            let file = "\(directory)/key"
            if !FileManager.default.fileExists(atPath: file) {
                try Data(0..<32).write(to: URL(filePath: file))
                chmod(file, 0o600)
            }
            return FileStore.sealed(path: "\(directory)/store", key: try key(directory), scheduler: scheduler)
        }
    }
}
