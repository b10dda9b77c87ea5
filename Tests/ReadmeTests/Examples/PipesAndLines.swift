import Freshet

/// The example of the page of this name.
enum PipesAndLines {
    struct Order: Codable, Sendable {
        var item: String
    }

    struct Receipt: Codable, Sendable {
        var number: Int
    }

    static func receipts(
        from input: Int32, to output: Int32, api: String, runtime: FreshetRuntime,
        report: @escaping @Sendable (String) -> Void
    ) -> Completable {
        runtime.loop.bytes(from: input)
            .jsonLines(of: Order.self)
            .compactMap { line in
                if let error = line.error { report("\(error)") }
                return line.value
            }
            .concatMapEager(maxConcurrent: 16) { order in
                runtime.client.post("\(api)/orders", body: try .json(order)).validate().decode(Receipt.self)
            }
            .encodedAsJSONLines()
            .written(to: output, on: runtime.loop)
    }
}
