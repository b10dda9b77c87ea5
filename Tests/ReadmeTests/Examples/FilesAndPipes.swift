import Freshet

enum Shouting {
    /// Copies one descriptor to another in capital letters.
    static func copy(from input: Int32, to output: Int32, on loop: Loop) -> Completable {
        loop.bytes(from: input)
            .map { bytes in bytes.map { (97...122).contains($0) ? $0 - 32 : $0 } }
            .written(to: output, on: loop)
    }
}
