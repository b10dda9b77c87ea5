import Foundation

/// A program of this package, or of the system, that is run and waited for.
public struct Child {
    public struct Failed: Error, CustomStringConvertible {
        public var description: String

        public init(_ description: String) {
            self.description = description
        }
    }

    /// What it has said, once it has ended.
    public struct Words {
        public var output: String
        public var complaints: String
    }

    /// Beside this program, where the package manager puts them all.
    public static func sibling(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }

    public static func start(_ words: [String], output: Pipe, complaints: Pipe? = nil, input: Pipe? = nil) throws
        -> Process
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        if let complaints { process.standardError = complaints }
        if let input { process.standardInput = input }
        try process.run()
        return process
    }

    /// - Throws: ``Failed`` with what it complained of, if its status is not 0.
    @discardableResult
    public static func run(_ words: [String]) throws -> Words {
        // A file: two pipes that are read one after the other may stand in each other's way.
        let complaints = Directory.shared.path("complaints")
        _ = FileManager.default.createFile(atPath: complaints, contents: nil)
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: complaints)
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let complained = (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? ""
        guard process.terminationStatus == 0 else {
            throw Failed("\(words.joined(separator: " ")): \(complained)")
        }
        return Words(output: said, complaints: complained)
    }
}

extension FileHandle {
    /// The next line, without its end; what there is at the end of the file.
    public func line() -> String {
        var line: [UInt8] = []
        while let byte = readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}
