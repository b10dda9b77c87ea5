import Foundation
import Freshet

/// What an interrupted download has left beside its file. It is looked at when the new download has locked it, before it is
/// replaced.
struct EarlierPart: Sendable {
    /// Why the rest is not asked for, if it is not.
    let reasonAgainstContinuing: String

    /// - Returns: `nil` if there is no part, if it is empty, or if the request never continues one.
    init?(of path: String, for request: Request) {
        guard request.method == .get, request.body.isEmpty, Self.size(of: "\(path).part") > 0 else { return nil }
        // The record of a part that can't be continued is empty.
        reasonAgainstContinuing =
            Self.size(of: "\(path).part.info") > 0
            ? "\(path).part is of another address"
            : "\(path).part can't be continued safely, without a version of the whole"
    }

    private static func size(of path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
