/// A name and a port to connect to. libcurl stores addresses by these two, separately in each multi.
final class Destination {
    let name: CachedHost
    let port: Int
    private var list: (generation: UInt32, list: CurlList)?
    private var loaded: (generation: UInt32, slots: UInt64) = (0, 0)
    /// The slots of the multis that have addresses of this destination, perhaps old ones.
    private(set) var slots: UInt64 = 0

    init(_ name: CachedHost, port: Int) {
        self.name = name
        self.port = port
    }

    var key: String { "\(name.host):\(port)" }

    func isLoaded(in slot: Int) -> Bool {
        loaded.generation == name.generation && loaded.slots & (1 << slot) != 0
    }

    func loaded(in slot: Int, _ generation: UInt32) {
        if loaded.generation != generation { loaded = (generation, 0) }
        loaded.slots |= 1 << slot
        slots |= 1 << slot
    }

    func unloaded(in slot: Int) {
        loaded.slots &= ~(1 << slot)
        slots &= ~(1 << slot)
    }

    var line: String {
        "\(key):" + name.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
    }

    /// The addresses in the form that libcurl takes. libcurl keeps them for as long as the multi lives.
    func loadingList() -> CurlList {
        if let list, list.generation == name.generation { return list.list }
        let new = CurlList([line])
        list = (name.generation, new)
        return new
    }
}
