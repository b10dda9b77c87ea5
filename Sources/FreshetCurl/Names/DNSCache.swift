import FreshetCore
import FreshetHTTP
import Glibc

/// The host names and destinations of a pool.
///
/// Each multi of libcurl gets an address once and keeps it without a time limit. This cache decides when the address
/// expires. So a request costs one comparison if its connection is kept or its host is an address.
struct DNSCache {
    private static let capacity = 1024

    private var names: [String: CachedHost] = [:]
    private var destinations: [Destination] = []
    private var places: [String: Int] = [:]
    private var nextSweep = Self.capacity
    private let overrides: [String: [String]]
    private var slots: UInt64 = 0
    /// The entries that each multi has to drop, by the multi's slot.
    private var forgotten: [Int: [String]] = [:]

    init(_ configuration: CurlTransport.Configuration.Addresses) {
        overrides = Dictionary(
            configuration.overrides.map { (Self.key($0), $1) }, uniquingKeysWith: { $1 })
    }

    /// The normalized key of an override, which is a host, or a host and a port.
    private static func key(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        let host = text.prefix { $0 != ":" }
        return HostName.normalized(String(host)) + text[host.endIndex...]
    }

    /// - Parameter host: a name or an address, without brackets, as libcurl will look it up.
    /// - Returns: `nil` if nothing has to be resolved.
    mutating func destination(_ host: String, _ port: Int) -> Destination? {
        let key = "\(host):\(port)"
        if let place = places[key] { return destinations[place] }
        let isName = Self.isName(host)
        let fixed = overrides[key] ?? overrides[host] ?? (isName ? overrides["*:\(port)"] : nil)
        guard fixed != nil || isName else { return nil }
        sweep()
        // An override can apply to this port alone, so it is not put into `names`.
        let name = fixed.map { CachedHost(host, fixed: $0) } ?? names[host] ?? CachedHost(host)
        if fixed == nil { names[host] = name }
        places[key] = destinations.count
        destinations.append(Destination(name, port: port))
        return destinations.last
    }

    /// Drops the destinations and names that no origin needs any more.
    private mutating func sweep() {
        guard destinations.count >= nextSweep else { return }
        var kept: [Destination] = []
        for index in destinations.indices {
            if !isKnownUniquelyReferenced(&destinations[index]) {
                kept.append(destinations[index])
            } else {
                for slot in 0..<64 where destinations[index].slots & (1 << slot) != 0 {
                    forgotten[slot, default: []].append("-\(destinations[index].key)")
                }
            }
        }
        destinations = kept
        places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.key, $0) })
        let hosts = Set(kept.map(\.name.host))
        names = names.filter { hosts.contains($0.key) }
        nextSweep = max(Self.capacity, kept.count * 2)
    }

    /// Ends all lookups.
    ///
    /// - Returns: the transfers that waited for a lookup.
    mutating func close() -> [CurlTransfer] {
        defer { (names, destinations, places) = ([:], [], [:]) }
        return names.values.flatMap { $0.endLookup() }
    }

    // MARK: The addresses that libcurl has

    mutating func allocateSlot() -> Int {
        let slot = (~slots).trailingZeroBitCount
        slots |= 1 << slot
        return slot
    }

    mutating func freeSlot(_ slot: Int) {
        slots &= ~(1 << slot)
        forgotten[slot] = nil
        for destination in destinations { destination.unloaded(in: slot) }
    }

    /// The list that a multi needs before it can connect to `destinations`.
    mutating func loadingList(_ destinations: [Destination], in slot: Int) -> CurlList {
        let forgotten = forgotten.removeValue(forKey: slot) ?? []
        if forgotten.isEmpty, destinations.count == 1 { return destinations[0].loadingList() }
        return CurlList(forgotten + destinations.map(\.line))
    }

    // MARK: Names

    /// Whether a resolver has to be asked for the host. libcurl knows addresses and `localhost` itself.
    static func isName(_ host: String) -> Bool {
        !host.contains(":") && !isAddress(host) && host != "localhost" && !host.hasSuffix(".localhost")
    }

    static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    }
}
