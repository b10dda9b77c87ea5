/// Open streams and memory over the time of a run.
struct StreamPlots {
    let outcome: StreamsOutcome
    let samples: [StreamSeries.Sample]

    private var x: PlotScale { .time(upTo: max(outcome.seconds, 1e-6)) }

    var markup: Markup {
        guard samples.count > 1 else {
            return """
                <p class="empty">It ended before there was anything to draw.</p>

                """
        }
        return "<div class=\"pair\">\(streams.markup)\(memory.markup)</div>"
    }

    private var xMarks: [Plot.Mark] {
        x.marks(6).map { .init(part: x.part($0), label: $0 == 0 ? "0" : Quantity.latencyMark($0 * 1e6)) }
    }

    private func points(_ value: (StreamSeries.Sample) -> Double) -> [(x: Double, y: Double)] {
        samples.map { (x.part($0.time), value($0)) }
    }

    private var streams: Plot {
        let y = PlotScale.linear(upTo: Double(max(outcome.asked, 1)))
        let hasFailures = outcome.failures > 0
        let open = points { y.part(Double($0.open)) }
        var drawing = [Plot.area(open, style: "fill"), Plot.line(open, style: "line")]
        if hasFailures { drawing.append(Plot.line(points { y.part(Double($0.failed)) }, style: "line bad")) }
        return Plot(
            title: "Streams", unit: "open at a time", x: xMarks,
            y: y.marks(4).map { .init(part: y.part($0), label: Quantity.axis($0)) }, drawing: drawing,
            readouts: readouts { sample in
                "\(grouped(sample.open)) open" + (hasFailures ? ", \(grouped(sample.failed)) errors" : "")
            },
            legend: hasFailures ? [("main", "open"), ("bad", "errors so far")] : [])
    }

    private var memory: Plot {
        let megabytes = points { Double($0.resident) * 1024 / 1e6 }
        let y = PlotScale.linear(upTo: megabytes.map(\.y).max() ?? 0)
        let line = megabytes.map { (x: $0.x, y: y.part($0.y)) }
        return Plot(
            title: "Memory", unit: "resident, of the whole process", x: xMarks,
            y: y.marks(4).map { .init(part: y.part($0), label: Quantity.axis($0, unit: "MB")) },
            drawing: [Plot.area(line, style: "fill"), Plot.line(line, style: "line")],
            readouts: readouts { sample in
                let more = Double(max(0, sample.resident - outcome.residentBefore)) * 1024
                return Quantity.bytes(sample.resident * 1024)
                    + (sample.open == 0 ? "" : ", \(Quantity.bytes(Int(more / Double(sample.open)))) a stream")
            })
    }

    /// One for each of the equal parts into which the whole width is cut: of the last sample until then.
    private func readouts(_ text: (StreamSeries.Sample) -> String) -> [String] {
        let count = samples.count
        var index = 0
        return (0..<count).map { part in
            let time = outcome.seconds * (Double(part) + 0.5) / Double(count)
            while index + 1 < count, samples[index + 1].time <= time { index += 1 }
            return "\(Quantity.seconds(samples[index].time)): \(text(samples[index]))"
        }
    }
}
