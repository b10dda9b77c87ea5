// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses Freshet never resolves what only its measurements need.
// The shapes are in modules apart from each other and from what they measure, as a user's code is.
let freshet: Target.Dependency = .product(name: "Freshet", package: "freshet")
let shapes: [Target.Dependency] = ["Workload", "Limit", "FreshetShapes", "OpenCombineShapes"]

let package = Package(
    name: "freshet-benchmarks",
    dependencies: [
        .package(name: "freshet", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.24.0"),
    ],
    targets: [
        .target(name: "Workload"),
        .target(name: "Limit", dependencies: ["Workload"]),
        .target(name: "FreshetShapes", dependencies: ["Workload", freshet]),
        .target(
            name: "OpenCombineShapes",
            dependencies: [
                "Workload", .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),

        .target(name: "CAllocations"),
        .executableTarget(name: "table", dependencies: shapes + ["CAllocations"]),
        .executableTarget(
            name: "authentication",
            dependencies: [freshet, .product(name: "FreshetHTTPTesting", package: "freshet")]),

        .executableTarget(name: "events", dependencies: [freshet, "CAllocations"]),

        // In C, and to be linked with nothing of Swift's: what the transport is measured against.
        .executableTarget(
            name: "curl-limit", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("uv")]),
        .executableTarget(name: "silent-server"),
        .target(name: "Peer"),
        .executableTarget(name: "peer-freshet", dependencies: ["Peer", freshet]),
        .executableTarget(
            name: "peer-nio",
            dependencies: ["Peer", .product(name: "AsyncHTTPClient", package: "async-http-client")]),
        .executableTarget(name: "peer-urlsession", dependencies: ["Peer"]),
        .target(name: "Harness"),
        .executableTarget(name: "transport", dependencies: ["Harness"]),
        .executableTarget(name: "streams", dependencies: ["Harness", "Peer", freshet]),
        .executableTarget(
            name: "layers",
            dependencies: ["Harness", "Peer", freshet, .product(name: "FreshetHTTPTesting", package: "freshet")]),
        // The plots of the documentation, from what the programs have printed.
        .executableTarget(name: "plots"),

        // The runner finds a benchmark by the folder that it is in, which has to be called Benchmarks.
        .executableTarget(
            name: "Listing", dependencies: shapes + [.product(name: "Benchmark", package: "benchmark")],
            path: "Listing", plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    swiftLanguageModes: [.v6]
)
