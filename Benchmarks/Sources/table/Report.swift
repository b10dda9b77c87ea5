import Glibc
import Workload

/// The table, printed row by row.
struct Report {
    private var speedUps: [Double] = []
    private var overLimit: [Double] = []
    private var underOpenCombine: [Double] = []
    private var noise: [Double] = []

    func printHead() {
        print(
            line(
                "ns per element", "limit", "Freshet", "OpenComb", "Fr/limit", "Fr/OpenC", "allocs", "RxSwift",
                "Rx/Fr"))
    }

    mutating func add(_ trial: Trial) {
        let freshet = trial.nanoseconds(.freshet)
        let speedUp = trial.ratio(.rxSwift, .freshet)
        let toLimit = trial.ratio(.freshet, .limit)
        let toOpenCombine = trial.ratio(.freshet, .openCombine)
        if let speedUp { speedUps.append(speedUp) }
        if let toLimit { overLimit.append(toLimit) }
        if let toOpenCombine { underOpenCombine.append(toOpenCombine) }
        noise.append(trial.noise)
        print(
            line(
                trial.shape.rawValue + (trial.differs() ? " DIFFERS" : ""),
                figure(trial.nanoseconds(.limit)), figure(freshet), figure(trial.nanoseconds(.openCombine)),
                figure(toLimit, 2), figure(toOpenCombine, 3), figure(trial.allocations(), 3),
                figure(trial.nanoseconds(.rxSwift)),
                figure(speedUp)))
    }

    func printFoot() {
        print(
            line(
                "geometric mean", "", "", "", figure(mean(overLimit), 2), figure(mean(underOpenCombine), 3), "", "",
                figure(mean(speedUps))))
        print("noise: the middle slice took \(figure(mean(noise), 2)) times as long as the fastest, which counts")
    }

    /// The same figures as the table's, the other way about.
    func printRate(of hops: Trial) {
        let rates = [Contender.limit, .freshet, .openCombine].map { contender in
            figure(hops.nanoseconds(contender).map { 1000 / $0 })
        }
        print(
            """
            million events a second to another thread: by hand \(rates[0]), Freshet \(rates[1]), OpenCombine \(rates[2])
            """)
    }

    private func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : exp(values.map { log($0) }.reduce(0, +) / Double(values.count))
    }

    private func figure(_ value: Double?, _ digits: Int = 1) -> String {
        guard let value else { return "–" }
        let power = pow(10, Double(digits))
        let whole = Int((value * power).rounded())
        if whole < 0 { return "-" + figure(-value, digits) }
        let (left, right) = whole.quotientAndRemainder(dividingBy: Int(power))
        return "\(left)." + String(repeating: "0", count: digits - "\(right)".count) + "\(right)"
    }

    private func line(_ name: String, _ columns: String...) -> String {
        name + String(repeating: " ", count: max(1, 44 - name.count))
            + columns.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }
}
