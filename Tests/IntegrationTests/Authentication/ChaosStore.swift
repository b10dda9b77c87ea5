import Foundation
import Freshet

/// The place where all programs of a chaos run keep their one credential.
struct ChaosStore {
    /// The location in the form that a profile uses.
    let location: String
    /// Opens the same store for a client in this process.
    let open: @Sendable (FreshetRuntime) throws -> any CredentialStore
    /// The stored JSON object, read without the library; `nil` if there is none. Throws an error if it is anything else.
    let stored: @Sendable () throws -> [String: Any]?

    private struct Corrupt: Error {}

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
