import FreshetCrypto

/// The form of a body in its file: pieces of 64 KiB, each sealed for its response and its place.
struct SealedBody: Sendable {
    static let pieceSize = 65_536

    /// The identifier of the response.
    let id: String
    let key: [UInt8]

    func sealed(_ piece: [UInt8], at index: Int) throws -> [UInt8] {
        try SealedBox.seal(piece, with: key, header: header(index))
    }

    /// Reads one piece; none at the end.
    ///
    /// - Throws: an error if the file can't be read or was changed.
    func piece(at index: Int, of file: File) throws -> [UInt8] {
        let size = Self.pieceSize + SealedBox.overhead
        let box = try file.read(size, at: index * size)
        return box.isEmpty ? [] : try SealedBox.open(box, with: key, header: header(index))
    }

    /// Reads the whole body and returns its length. It throws as ``piece(at:of:)`` does.
    func check(_ file: File) throws -> Int {
        var (index, length) = (0, 0)
        while true {
            let piece = try piece(at: index, of: file)
            if piece.isEmpty { return length }
            index += 1
            length += piece.count
        }
    }

    private func header(_ index: Int) -> [UInt8] { Array("\(id) \(index)".utf8) }
}
