import FreshetTesting
import XCTest

@testable import FreshetCurl

final class ZstdFramesTests: XCTestCase {
    func testFramesInSequenceEndWithTheLast() {
        let frame = CompressedSamples.zstd
        XCTAssertEqual(end(of: frame + frame), .reached)
        XCTAssertEqual(end(of: frame + frame.dropLast()), .pending)
        XCTAssertEqual(end(of: frame + [0x28]), .pending)
    }

    func testSkippableFramesAreSkipped() {
        let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 0x28, 0xB5, 0x2F]
        XCTAssertEqual(end(of: skippable + CompressedSamples.zstd), .reached)
        XCTAssertEqual(end(of: CompressedSamples.zstd + skippable), .reached)
        XCTAssertEqual(end(of: CompressedSamples.zstd + skippable.dropLast()), .pending)
        XCTAssertEqual(end(of: [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]), .reached)
    }

    func testAnEmptyInputIsPending() {
        XCTAssertEqual(end(of: []), .pending)
    }

    func testReservedValuesAreInvalid() {
        let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        XCTAssertEqual(end(of: [0x27, 0xB5, 0x2F, 0xFD]), .unknown)
        XCTAssertEqual(end(of: magic + [0x08]), .unknown)
        // The block has the reserved type.
        XCTAssertEqual(end(of: magic + [0, 0x58, 0x07, 0, 0]), .unknown)
    }

    func testRandomFramesEndAtTheSameByteInAnyPieces() {
        var numbers = SplitMix64(seed: 8878)
        for _ in 0..<2000 {
            var bytes: [UInt8] = []
            var ends: Set<Int> = []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                bytes += Bool.random(using: &numbers) ? frame(&numbers) : skippable(&numbers)
                ends.insert(bytes.count)
            }
            var frames = ZstdFrames()
            var count = 0
            while count < bytes.count {
                let next = min(bytes.count, count + Int.random(in: 1...9, using: &numbers))
                bytes[count..<next].withUnsafeBytes { frames.process($0) }
                count = next
                XCTAssertEqual(frames.end, ends.contains(count) ? .reached : .pending)
            }
        }
    }

    func testRandomBytesAreParsedWithoutATrap() {
        var numbers = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            var bytes = Bool.random(using: &numbers) ? CompressedSamples.zstd : [0x28, 0xB5, 0x2F, 0xFD]
            bytes += random(Int.random(in: 0...40, using: &numbers), &numbers)
            bytes[Int.random(in: bytes.indices, using: &numbers)] ^= 1
            _ = end(of: bytes)
        }
    }

    // MARK: Frames of all shapes

    private func frame(_ numbers: inout SplitMix64) -> [UInt8] {
        let isSingle = Bool.random(using: &numbers)
        let hasChecksum = Bool.random(using: &numbers)
        let dictionary = Int.random(in: 0...3, using: &numbers)
        let sizeFlag = Int.random(in: 0...3, using: &numbers)
        let descriptor = sizeFlag << 6 | (isSingle ? 0x20 : 0) | (hasChecksum ? 4 : 0) | dictionary
        let rest = (isSingle ? 0 : 1) + [0, 1, 2, 4][dictionary] + [isSingle ? 1 : 0, 2, 4, 8][sizeFlag]
        var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, UInt8(descriptor)] + random(rest, &numbers)
        let blocks = Int.random(in: 1...3, using: &numbers)
        for block in 1...blocks {
            let kind = Int.random(in: 0...2, using: &numbers)
            let size = Int.random(in: 0...20, using: &numbers)
            let header = size << 3 | kind << 1 | (block == blocks ? 1 : 0)
            bytes += [UInt8(header & 255), UInt8(header >> 8), 0] + random(kind == 1 ? 1 : size, &numbers)
        }
        return bytes + random(hasChecksum ? 4 : 0, &numbers)
    }

    private func skippable(_ numbers: inout SplitMix64) -> [UInt8] {
        let size = Int.random(in: 0...20, using: &numbers)
        let kind = UInt8.random(in: 0x50...0x5F, using: &numbers)
        return [kind, 0x2A, 0x4D, 0x18, UInt8(size), 0, 0, 0] + random(size, &numbers)
    }

    private func random(_ count: Int, _ numbers: inout SplitMix64) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    }

    private func end(of bytes: [UInt8]) -> DataEndCheck.End {
        var frames = ZstdFrames()
        bytes.withUnsafeBytes { frames.process($0) }
        return frames.end
    }
}
