import Foundation
import FreshetAuth
import FreshetStoreTesting
import StoreKinds
import XCTest

@testable import FreshetSignIn

/// Tests the promises of every store with each kind of store and each form of key.
final class StoreRequirementsTests: XCTestCase {
    func testAStoreSealedWithAKeyFileMeetsTheRequirementsOfAStore() {
        XCTAssertEqual(conformanceFailures { sealedFixture { FileSealingKey(path: "\($0)/key") } }, [])
    }

    func testAStoreSealedWithACredentialOfTheServiceMeetsTheRequirementsOfAStore() {
        let broken = conformanceFailures {
            sealedFixture { try FileSealingKey(credential: "key", environment: ["CREDENTIALS_DIRECTORY": $0]) }
        }
        XCTAssertEqual(broken, [])
    }

    func testAStoreSealedWithAKeyOfTheKeyringMeetsTheRequirementsOfAStore() throws {
        let keyring = try testKeyring()
        defer { keyring.remove() }
        let key = KeyringSealingKey(name: keyring.name)
        XCTAssertNotNil(try key.bytes(creating: true))
        XCTAssertEqual(conformanceFailures { sealedFixture { _ in key } }, [])
    }

    func testAStoreInTheKeyringMeetsTheRequirementsOfAStore() throws {
        try testKeyring().remove()
        let broken = conformanceFailures {
            let keyring = try testKeyring()
            return DirectoryFixture(onClose: keyring.remove) {
                FileStore.keyring(keyring.name, path: "\($0)/store", scheduler: $1)
            }
        }
        XCTAssertEqual(broken, [])
    }

    func testAStoreInAHelperOfDockerMeetsTheRequirementsOfAStore() {
        let broken = conformanceFailures {
            let helper = try TestHelper()
            helper.install()
            return DirectoryFixture(record: helper.secret, onClose: helper.remove) {
                try FileStore.helper(
                    helper.name, server: "https://freshet.invalid/p", path: "\($0)/store", scheduler: $1)
            }
        }
        XCTAssertEqual(broken, [])
    }

    /// A fixture whose directory also has a file with a key.
    private func sealedFixture(_ key: @escaping (String) throws -> any SealingKey) -> DirectoryFixture {
        DirectoryFixture { directory, scheduler in
            let file = "\(directory)/key"
            if !FileManager.default.fileExists(atPath: file) {
                try Data(0..<32).write(to: URL(filePath: file))
                chmod(file, 0o600)
            }
            return FileStore.sealed(path: "\(directory)/store", key: try key(directory), scheduler: scheduler)
        }
    }
}
