/// Labels of host names beyond ASCII in the form that name servers use, without the `xn--`. Source: RFC 3492.
enum Punycode {
    private static let (base, least, most, skew, damp) = (36, 1, 26, 38, 700)
    private static let firstBias = 72
    private static let firstScalar = 128
    private static let delimiter = UInt8(ascii: "-")

    static func encoded(_ label: [Unicode.Scalar]) -> String? {
        var output = label.filter(\.isASCII).map { UInt8($0.value) }
        let basics = output.count
        var (handled, delta, bias, next) = (basics, 0, firstBias, firstScalar)
        if basics > 0 { output.append(delimiter) }
        while handled < label.count {
            guard let least = label.lazy.map({ Int($0.value) }).filter({ $0 >= next }).min() else { return nil }
            delta += (least - next) * (handled + 1)
            next = least
            for scalar in label {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basics)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
        var (rest, place) = (delta, base)
        while true {
            let threshold = threshold(place, bias)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
        output.append(digit(rest))
    }

    /// - Returns: `nil` if `text` is not a result of ``encoded(_:)``.
    static func decoded(_ text: Substring.UTF8View) -> [Unicode.Scalar]? {
        let cut = text.lastIndex(of: delimiter)
        var output = text[..<(cut ?? text.startIndex)].map { Unicode.Scalar($0) }
        var rest = text[(cut.map { text.index(after: $0) } ?? text.startIndex)...]
        // No name server accepts a longer label, and the limit keeps all numbers small.
        guard output.allSatisfy(\.isASCII), !rest.isEmpty, text.count <= 63 else { return nil }
        var (value, place, bias) = (firstScalar, 0, firstBias)
        while !rest.isEmpty {
            let start = place
            var (weight, step) = (1, base)
            while true {
                guard let digit = rest.popFirst().flatMap(self.value), weight < 1 << 32 else { return nil }
                place += digit * weight
                let threshold = threshold(step, bias)
                if digit < threshold { break }
                weight *= base - threshold
                step += base
            }
            guard place < 1 << 32 else { return nil }
            bias = adapted(place - start, count: output.count + 1, isFirst: start == 0)
            value += place / (output.count + 1)
            place %= output.count + 1
            guard (firstScalar...0x10FFFF).contains(value), let scalar = Unicode.Scalar(UInt32(value)) else {
                return nil
            }
            output.insert(scalar, at: place)
            place += 1
        }
        return output
    }

    private static func threshold(_ place: Int, _ bias: Int) -> Int { min(max(place - bias, least), most) }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - least) * most / 2 {
            delta /= base - least
            steps += base
        }
        return steps + (base - least + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? Int(UInt8(ascii: "a")) + value : Int(UInt8(ascii: "0")) + value - 26)
    }

    private static func value(_ digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 26
        default: nil
        }
    }
}
