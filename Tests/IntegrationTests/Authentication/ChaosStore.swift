import Foundation
import Freshet
import FreshetCrypto
import StoreKinds

@testable import FreshetSignIn

/// The place where all programs of a chaos run keep their one credential.
struct ChaosStore {
    /// The location in the form that a profile uses.
    let location: String
    /// Opens the same store for a client in this process.
    let open: @Sendable (FreshetRuntime) throws -> any CredentialStore
    /// The stored JSON object, read without the library; `nil` if there is none. Throws an error if it is anything else.
    let stored: @Sendable () throws -> [String: Any]?
    /// Removes the key of the store, and returns what puts it back; `nil` if the store has no key.
    var loseKey: (() -> () -> Void)?

    private struct Corrupt: Error {}

    /// The errors that a program may report.
    var expectedCodes: Set<String> {
        loseKey == nil ? ChaosReport.expectedCodes : ChaosReport.expectedCodes.union(["store"])
    }

    static func file(_ path: String) -> ChaosStore {
        ChaosStore(
            location: "file:\(path)", open: { $0.fileStore(path) },
            stored: {
                guard let data = FileManager.default.contents(atPath: path) else { return nil }
                guard let record = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
                    throw Corrupt()
                }
                return record
            })
    }
}

extension ChaosStore {
    /// A sealed store whose key is in a file.
    static func sealed(_ path: String, keyFile: String) throws -> ChaosStore {
        let bytes = SecureRandom.bytes(32)
        try Data(bytes).write(to: URL(fileURLWithPath: keyFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyFile)
        return sealed(path, FileSealingKey(path: keyFile), bytes) {
            rename(keyFile, keyFile + ".lost")
            return { rename(keyFile + ".lost", keyFile) }
        }
    }

    /// A sealed store whose key is in the kernel's keyring.
    static func sealed(_ path: String, in keyring: TestKeyring) throws -> ChaosStore {
        let bytes = SecureRandom.bytes(32)
        let name = keyring.name
        try KernelKeyring.write(bytes, as: name)
        return sealed(path, KeyringSealingKey(name: name), bytes) {
            keyring.remove()
            return { try? KernelKeyring.write(bytes, as: name) }
        }
    }

    private static func sealed(
        _ path: String, _ key: any SealingKey, _ bytes: [UInt8], loseKey: @escaping () -> () -> Void
    ) -> ChaosStore {
        // The test reads the store also while its key is lost.
        let coding = SealedCoding(key: KnownSealingKey(name: key.name, bytes: bytes), storeName: path)
        return ChaosStore(
            location: "sealed:\(path)?key=\(key.name)",
            open: { FileStore.sealed(path: path, key: key, scheduler: $0.storeScheduler) },
            stored: {
                guard let data = FileManager.default.contents(atPath: path) else { return nil }
                let json = try coding.decode(Array(data)).json()
                return try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
            }, loseKey: loseKey)
    }
}

extension ChaosStore {
    enum Content {
        case credential
        case nothing
        case refused
        case corrupt
    }

    /// The kind of the stored content. A pair whose tokens were not issued together is corrupt.
    func content(_ ledger: ChaosLedger) -> Content {
        let record: [String: Any]
        do {
            guard let stored = try stored() else { return .nothing }
            record = stored
        } catch {
            return .corrupt
        }
        guard record["version"] is Int else { return .corrupt }
        guard let access = record["access_token"] as? String, let refresh = record["refresh_token"] as? String else {
            return record["access_token"] == nil && record["refresh_token"] == nil ? .nothing : .corrupt
        }
        guard ledger.isPair(access, refresh) else { return .corrupt }
        return record["login_required"] as? Bool == true ? .refused : .credential
    }
}
