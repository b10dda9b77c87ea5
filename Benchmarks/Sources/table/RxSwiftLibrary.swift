import Foundation
import Workload

/// The shapes compiled against a checkout of RxSwift, in a library of their own: who builds `table` needs no RxSwift.
struct RxSwiftLibrary {
    private typealias Function = @convention(c) (UnsafePointer<CChar>, Int) -> Int

    enum Failure: Error, CustomStringConvertible {
        case build(checkout: String, status: Int32)
        case load(String)

        var description: String {
            switch self {
            case .build(let checkout, let status):
                "The shapes do not build against \(checkout) (swift build ended with \(status)): is it a checkout of RxSwift?"
            case .load(let message): "The library of the shapes cannot be loaded: \(message)"
            }
        }
    }

    private let function: Function

    /// Builds the library and loads it.
    ///
    /// - Parameter checkout: RxSwift's folder.
    init(checkout: String) throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../BesideRxSwift")
            .standardized
        let swift = Process()
        swift.executableURL = URL(filePath: "/usr/bin/env")
        swift.arguments = ["swift", "build", "-c", "release", "--package-path", package.path]
        swift.environment = ProcessInfo.processInfo.environment.merging(
            ["RXSWIFT": URL(filePath: checkout).standardized.path]
        ) { $1 }
        swift.standardOutput = FileHandle.standardError
        try swift.run()
        swift.waitUntilExit()
        guard swift.terminationStatus == 0 else {
            throw Failure.build(checkout: checkout, status: swift.terminationStatus)
        }
        let library = package.appending(path: ".build/release/libRxSwiftShapes.so").path
        guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(handle, "rxswift_run") else {
            throw Failure.load(dlerror().map { String(cString: $0) } ?? library)
        }
        function = unsafeBitCast(symbol, to: Function.self)
    }

    /// The work of a shape, whose sum is added to that of the workload; `nil` if RxSwift has not what it needs.
    func run(_ shape: Shape) -> Run? {
        guard function(shape.rawValue, 0) >= 0 else { return nil }
        return { [function] count, work in work.add(function(shape.rawValue, count)) }
    }
}
