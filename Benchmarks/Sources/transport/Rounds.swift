/// Rounds in which all contenders take turns, the first one last in every other round. What else the machine does slows
/// a whole round, so only those of the same round are compared.
struct Rounds {
    private var figures: [String: [Figures]] = [:]
    private(set) var count = 0

    mutating func add(_ scenario: Scenario, at nginx: Nginx, share: Double) throws {
        let order = count.isMultiple(of: 2) ? scenario.contenders : scenario.contenders.reversed()
        for contender in order {
            let wanted = Double(scenario.requests) * contender.share * share
            let requests = max(Int(wanted), 4 * scenario.concurrency, 20)
            figures[contender.name, default: []].append(
                try Figures.of(contender, in: scenario, at: nginx, requests: requests))
        }
        count += 1
    }

    /// The median of the ratios within the rounds.
    func ratio(of contender: Contender, to base: String, _ figure: KeyPath<Figures, Double>) -> Double? {
        guard let own = figures[contender.name], let base = figures[base] else { return nil }
        let ratios = zip(own, base).map { $0[keyPath: figure] / $1[keyPath: figure] }.sorted()
        return ratios.isEmpty ? nil : ratios[ratios.count / 2]
    }
}
