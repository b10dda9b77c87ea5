import FreshetAuth

/// The name of a store, which the encrypted file authenticates.
enum SealedName: Sendable {
    /// A name that the caller gives.
    case given(String)
    /// The path of the store's file. The name is the path without symbolic links, because all links to a file share its record.
    case path(String)

    /// The name as text. The calls can block.
    var text: String {
        switch self {
        case .given(let name): name
        case .path(let path): FileStore.followingLinks(in: path)
        }
    }

    /// The name of the file of a store whose path can begin with `~`.
    static func file(_ path: String) -> SealedName {
        // A path that can't be expanded is an error of the store itself.
        .path((try? FileStore.expandingHome(in: path)) ?? path)
    }
}
