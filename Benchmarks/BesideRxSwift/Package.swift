// swift-tools-version: 6.2
import PackageDescription

// The shapes of `table` against a checkout of RxSwift, whose folder is in RXSWIFT, as a library that `table` loads.
let checkout = Context.environment["RXSWIFT"] ?? "RxSwift"
let package = Package(
    name: "freshet-rxswift",
    products: [.library(name: "RxSwiftShapes", type: .dynamic, targets: ["RxSwiftShapes"])],
    dependencies: [.package(name: "RxSwift", path: checkout)],
    targets: [
        .target(name: "Workload"),
        .target(name: "RxSwiftShapes", dependencies: ["Workload", .product(name: "RxSwift", package: "RxSwift")]),
    ],
    swiftLanguageModes: [.v5]
)
