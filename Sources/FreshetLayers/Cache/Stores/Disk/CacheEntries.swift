import Glibc

/// The responses of one key in the folder of a disk cache. The identifier of a response names its two files.
struct CacheEntries {
    let folder: CacheFolder
    private let place: String
    private let owner: String

    init(of key: CacheKey, in folder: CacheFolder) {
        (self.folder, place, owner) = (folder, folder.folder(of: key.url), folder.owner(key.owner))
    }

    /// The identifiers of the responses, also of those with a damaged head.
    var ids: [String] {
        File.names(in: place).filter { $0.hasPrefix(owner + ".") && $0.hasSuffix(".head") }
            .map { String(CacheFolder.id($0)) }
    }

    private func headName(_ id: String) -> String { "\(owner).\(id).head" }
    private func bodyName(_ id: String) -> String { "\(id).body" }

    func headPath(_ id: String) -> String { "\(place)/\(headName(id))" }
    func bodyPath(_ id: String) -> String { "\(place)/\(bodyName(id))" }

    /// Reads a head; `nil` if it is not there or damaged.
    func response(_ id: String) -> CachedResponse? { CacheHead.response(id, at: headPath(id), key: folder.key) }

    /// Makes the complete file at `path` the head or the body of a response.
    func addHead(_ path: String, _ id: String) throws { try folder.move(path, to: headName(id), in: place) }
    func addBody(_ path: String, _ id: String) throws { try folder.move(path, to: bodyName(id), in: place) }

    /// Removes the head first, because a body without a head is never found.
    func remove(_ id: String) {
        unlink(headPath(id))
        unlink(bodyPath(id))
    }
}
