// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let inMemoryLogging: Target.Dependency = .product(name: "InMemoryLogging", package: "swift-log")
let inMemoryTracing: Target.Dependency = .product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")
/// Only with the trait `Redis`, so that programs without the trait do not need the library.
let hiredis: Target.Dependency = .target(name: "CFreshetRedis", condition: .when(traits: ["Redis"]))

/// `Freshet` and the modules that it re-exports. A target that uses `Freshet` names all of them, because it is rebuilt only
/// when a named module changes.
let freshet = [
    "Freshet", "FreshetCore", "FreshetLoop", "FreshetFoundation", "FreshetHTTP", "FreshetCurl", "FreshetAuth",
    "FreshetEvents", "FreshetCrypto", "FreshetLayers", "FreshetSignIn",
]

func users(of names: [String], and others: Target.Dependency...) -> [Target.Dependency] {
    names.map { .init(stringLiteral: $0) } + others
}

/// A module of the package. `on` has the modules below it.
func module(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A module that uses only the public API of the others, and has no `package` declarations.
func publicModule(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, packageAccess: false, swiftSettings: settings)
}

func tests(of name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.init(stringLiteral: name)] + dependencies, swiftSettings: settings)
}

/// An example program. The tests build and run it; it is not a product.
func example(_ name: String, on others: Target.Dependency...) -> Target {
    .executableTarget(
        name: "\(name)Example", dependencies: freshet.map { .init(stringLiteral: $0) } + others,
        path: "Tests/Examples/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "freshet",
    products: [
        .library(name: "Freshet", targets: freshet),
        .library(name: "FreshetRedis", targets: ["FreshetRedis"]),
        .library(name: "FreshetURLRequest", targets: ["FreshetURLRequest"]),
        .library(name: "FreshetTesting", targets: ["FreshetTesting"]),
        .library(name: "FreshetStoreTesting", targets: ["FreshetStoreTesting"]),
        .library(name: "FreshetHTTPTesting", targets: ["FreshetHTTPTesting"]),
        .executable(name: "freshet", targets: ["freshet-cli"]),
    ],
    traits: [
        .trait(name: "Redis", description: "Credential stores on Redis, by libhiredis, which has to be installed.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .systemLibrary(name: "CFreshetUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(
            name: "CFreshetLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev", "zlib1g-dev", "libssl-dev"])]),
        // The functions of libcurl that Swift can't call, and the state of connections in OpenSSL and the kernel.
        .target(
            name: "CFreshetCurl", dependencies: ["CFreshetLibcurl"],
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto"), .linkedLibrary("z")]),
        // The headers that Swift's module of the C library leaves out.
        .systemLibrary(name: "CFreshetSystem"),
        // The functions of libcrypto that Swift can't call.
        .target(name: "CFreshetCrypto", linkerSettings: [.linkedLibrary("crypto")]),
        // The allocator for libcurl.
        .target(name: "CFreshetMemory"),
        // Without pkg-config: the package manager rejects a flag in hiredis's file, and warns at each build.
        .systemLibrary(name: "CFreshetRedis"),

        module("FreshetCore", on: ["CFreshetSystem"]),

        module("FreshetLoop", on: ["FreshetCore", "CFreshetUV"]),
        module("FreshetFoundation", on: ["FreshetCore"]),
        module("FreshetHTTP", on: ["FreshetCore", httpTypes]),
        module("FreshetCrypto", on: ["CFreshetCrypto"]),
        module("FreshetTesting", on: ["FreshetCore"]),

        module(
            "FreshetCurl",
            on: ["FreshetCore", "FreshetLoop", "FreshetHTTP", "CFreshetCurl", "CFreshetMemory", httpTypes]),
        publicModule("FreshetAuth", on: ["FreshetCore", "FreshetHTTP", "CFreshetSystem", httpTypes]),
        publicModule("FreshetEvents", on: ["FreshetCore", "FreshetHTTP", httpTypes]),
        publicModule("FreshetLayers", on: ["FreshetCore", "FreshetHTTP", "FreshetCrypto", httpTypes]),
        module(
            "FreshetHTTPTesting",
            on: ["FreshetCore", "FreshetLoop", "FreshetHTTP", "FreshetLayers", "FreshetTesting", httpTypes]),

        module(
            "Freshet",
            on: [
                "FreshetCore", "FreshetLoop", "FreshetFoundation", "FreshetHTTP", "FreshetCurl", "FreshetAuth",
                "FreshetEvents", "FreshetCrypto", "FreshetLayers", "FreshetSignIn", httpTypes, logging, metrics,
                tracing, lifecycle,
            ]),

        publicModule(
            "FreshetSignIn",
            on: [
                "FreshetCore", "FreshetLoop", "FreshetHTTP", "FreshetCrypto", "FreshetAuth", "CFreshetSystem",
                httpTypes,
            ]),
        // Foundation's networking makes each program that loads it start later and, linked statically, three times as large.
        publicModule("FreshetURLRequest", on: ["FreshetCore", "FreshetHTTP", httpTypes]),
        // The checks that every credential store has to pass, for the tests of each store.
        publicModule("FreshetStoreTesting", on: ["FreshetCore", "FreshetHTTP", "FreshetAuth"]),
        module("FreshetRedis", on: ["FreshetCore", "FreshetLoop", "FreshetHTTP", "FreshetAuth", hiredis]),

        // The load and the reports of `freshet bench`.
        publicModule("FreshetLoad", on: users(of: freshet, and: "CFreshetSystem", histogram)),

        .executableTarget(
            name: "freshet-cli",
            dependencies: users(
                of: freshet, and: "CFreshetSystem", "FreshetLoad", "FreshetRedis", "FreshetHTTPTesting", arguments),
            // What the command needs, any program needs.
            packageAccess: false, swiftSettings: settings),

        // A Redis server for the tests that need one.
        .target(name: "RedisServers", path: "Tests/RedisServers", swiftSettings: settings),
        .target(
            name: "RecordingBackends", dependencies: ["FreshetCore", metrics], path: "Tests/RecordingBackends",
            swiftSettings: settings),
        // Event streams and their meaning by the standard, for the tests of the parser, the client and the command.
        .target(
            name: "EventStreamCases", dependencies: ["FreshetEvents"], path: "Tests/EventStreamCases",
            swiftSettings: settings),
        // The keyrings and helpers that some stores need, for their tests.
        .target(
            name: "StoreKinds", dependencies: ["CFreshetSystem", "FreshetSignIn"], path: "Tests/StoreKinds",
            swiftSettings: settings),
        // A program that the integration tests kill.
        .executableTarget(
            name: "StoreTransaction", dependencies: ["Freshet", "FreshetAuth", "FreshetSignIn"],
            path: "Tests/StoreTransaction",
            swiftSettings: settings),

        example("Chat", on: httpTypes),
        example("FanIn"),
        example("MCP", on: httpTypes),
        example("OwnLoop", on: "CFreshetUV"),
        example("Service", on: "RecordingBackends", metrics, logging, tracing, lifecycle, signals, inMemoryTracing),

        tests(of: "FreshetCore", on: ["FreshetTesting"]),
        tests(of: "FreshetLoop", on: ["FreshetCore", "CFreshetUV"]),
        tests(of: "FreshetFoundation", on: ["FreshetCore"]),
        tests(of: "FreshetHTTP", on: ["FreshetCore", "FreshetTesting", "FreshetHTTPTesting", httpTypes]),
        tests(of: "FreshetCrypto"),
        tests(
            of: "FreshetLayers",
            on: ["FreshetCore", "FreshetHTTP", "FreshetTesting", "FreshetHTTPTesting", "FreshetAuth", httpTypes]),
        tests(of: "FreshetTesting", on: ["FreshetCore"]),
        tests(
            of: "FreshetCurl",
            on: ["FreshetCore", "FreshetLoop", "FreshetHTTP", "FreshetTesting", "CFreshetCurl", httpTypes]),
        tests(
            of: "FreshetAuth",
            on: [
                "FreshetCore", "FreshetHTTP", "FreshetCrypto", "FreshetTesting", "FreshetHTTPTesting",
                "FreshetStoreTesting", httpTypes,
            ]),
        tests(
            of: "FreshetRedis",
            on: [
                "FreshetCore", "FreshetLoop", "FreshetHTTP", "FreshetAuth", "FreshetStoreTesting",
                "RedisServers",
            ]),
        tests(
            of: "FreshetEvents",
            on: [
                "FreshetAuth", "FreshetCore", "FreshetHTTP", "FreshetTesting", "FreshetHTTPTesting", "EventStreamCases",
                httpTypes,
            ]),
        tests(
            of: "FreshetHTTPTesting", on: ["FreshetCore", "FreshetHTTP", "FreshetLoop", "FreshetTesting", httpTypes]),
        tests(
            of: "Freshet",
            on: users(
                of: freshet.filter { $0 != "Freshet" }, and: "FreshetTesting", "FreshetHTTPTesting",
                "RecordingBackends",
                httpTypes, logging, tracing, inMemoryLogging, inMemoryTracing)),
        tests(
            of: "FreshetSignIn",
            on: [
                "FreshetCore", "FreshetLoop", "FreshetHTTP", "FreshetCrypto", "FreshetAuth", "FreshetTesting",
                "FreshetHTTPTesting", "FreshetStoreTesting", "StoreKinds", httpTypes,
            ]),
        tests(
            of: "FreshetURLRequest",
            on: ["FreshetCore", "FreshetHTTP", "FreshetTesting", "FreshetHTTPTesting", httpTypes]),
        tests(of: "FreshetLoad", on: users(of: freshet, and: "FreshetHTTPTesting", httpTypes)),
        .testTarget(
            name: "CommandLineTests", dependencies: users(of: freshet, and: "freshet-cli", arguments, httpTypes),
            swiftSettings: settings),
        .testTarget(
            name: "ReadmeTests",
            dependencies: users(
                of: freshet, and: "FreshetTesting", "FreshetHTTPTesting", "FreshetURLRequest", "CFreshetUV", httpTypes,
                logging, lifecycle, signals),
            exclude: ["Recordings"], swiftSettings: settings),
        .testTarget(
            name: "ExamplesTests",
            dependencies: users(
                of: freshet, and: "ChatExample", "FanInExample", "MCPExample", "OwnLoopExample", "ServiceExample",
                "FreshetHTTPTesting", httpTypes),
            swiftSettings: settings),
        // Code that uses only the public API, as users write it.
        .testTarget(
            name: "PublicAPITests",
            dependencies: users(of: freshet, and: "FreshetTesting", "FreshetHTTPTesting", httpTypes),
            packageAccess: false, swiftSettings: settings),
        // Code as it is written for RxSwift, without the settings of this package's own modules: one target per language mode.
        .testTarget(name: "MigrationTests", dependencies: users(of: freshet, and: "FreshetTesting")),
        .testTarget(
            name: "MigrationInSwift5Tests", dependencies: users(of: freshet, and: "FreshetTesting"),
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: users(
                of: freshet, and: "FreshetTesting", "FreshetHTTPTesting", "EventStreamCases", "RedisServers",
                "StoreKinds",
                "RecordingBackends", "MCPExample", "CFreshetCurl", httpTypes, metrics, logging, tracing, lifecycle,
                inMemoryLogging,
                inMemoryTracing,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")),
            exclude: ["SignIn/Programs"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
