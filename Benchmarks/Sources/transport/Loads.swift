import Harness

/// The scenarios in which requests are sent one after the other.
enum Loads {
    static func report(_ options: Options, at nginx: Nginx, silent: String, libcurl: String) throws {
        let peers: [Contender] = options.hasPeers ? Contender.peers.filter(\.isThere) : []
        for scenario in Scenario.all(peers, streamsBeside: options.streams, at: silent)
        where options.wants(scenario.key) {
            try report(scenario, options, at: nginx, libcurl: libcurl)
        }
    }

    private static func report(_ scenario: Scenario, _ options: Options, at nginx: Nginx, libcurl: String) throws {
        var scenario = scenario
        if options.isPinned {
            for index in scenario.contenders.indices {
                scenario.contenders[index].words = ["taskset", "-c", "0"] + scenario.contenders[index].words
            }
        }
        var rounds = Rounds()
        for _ in 0..<options.rounds { try rounds.add(scenario, at: nginx, share: options.share) }
        let table = Table(
            "\(scenario.title) [\(scenario.key)], \(libcurl), \(rounds.count) rounds",
            [("req/s", 8), ("CPU", 8), ("instr.", 8), ("user instr.", 13), ("against", 39)])
        var counts: [String: Double] = [:]
        for contender in scenario.contenders {
            if options.counts, contender.name != Contender.urlSession.name {
                counts[contender.name] = try Instructions.perRequest(contender, in: scenario, at: nginx)
            }
            let own = counts[contender.name]
            for base in [contender.against] + contender.alsoAgainst {
                table.row(
                    contender.name,
                    [
                        Table.ratio(rounds.ratio(of: contender, to: base, \.rps)),
                        Table.ratio(rounds.ratio(of: contender, to: base, \.cpuMicroseconds)),
                        Table.ratio(counts[base].flatMap { base in own.map { $0 / base } }),
                        Table.thousands(own), base == contender.name ? "itself" : base,
                    ])
            }
        }
    }
}
