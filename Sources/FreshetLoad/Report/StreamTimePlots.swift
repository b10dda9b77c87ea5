/// Shows the open streams and the memory over the time of a run.
struct StreamTimePlots {
    let outcome: StreamLoadOutcome
    let samples: [StreamSeries.Sample]

    private var x: Axis { .time(upTo: max(outcome.seconds, 1e-6)) }

    var markup: HTML {
        guard samples.count > 1 else {
            return .notice("The run ended before there was anything to draw.")
        }
        return "<div class=\"pair\">\(streams.markup)\(memory.markup)</div>"
    }

    private var xMarks: [Plot.Mark] { x.marks(6, label: TextFormat.timeMark) }

    private func points(_ value: (StreamSeries.Sample) -> Double) -> [(x: Double, y: Double)] {
        samples.map { (x.part($0.time), value($0)) }
    }

    private var streams: Plot {
        let y = Axis.linear(upTo: Double(max(outcome.asked, 1)))
        let hasFailures = outcome.failures.count > 0
        let open = points { y.part(Double($0.open)) }
        var drawing = [Plot.area(open, style: "fill"), Plot.line(open, style: "line")]
        if hasFailures { drawing.append(Plot.line(points { y.part(Double($0.failed)) }, style: "line bad")) }
        return Plot(
            title: "Streams", unit: "open at a time", x: xMarks,
            y: y.marks(4) { TextFormat.axis($0) }, drawing: drawing,
            readouts: readouts { sample in
                "\(TextFormat.count(sample.open)) open"
                    + (hasFailures ? ", \(TextFormat.count(sample.failed)) errors" : "")
            },
            legend: hasFailures ? [("main", "open"), ("bad", "errors so far")] : [])
    }

    private var memory: Plot {
        let megabytes = points { Double($0.resident) * 1024 / 1e6 }
        let y = Axis.linear(upTo: megabytes.map(\.y).max() ?? 0)
        let line = megabytes.map { (x: $0.x, y: y.part($0.y)) }
        return Plot(
            title: "Memory", unit: "resident, of the whole process", x: xMarks,
            y: y.marks(4) { TextFormat.axis($0, unit: "MB") },
            drawing: [Plot.area(line, style: "fill"), Plot.line(line, style: "line")],
            readouts: readouts { sample in
                let more = Double(max(0, sample.resident - outcome.residentBefore)) * 1024
                return TextFormat.bytes(sample.resident * 1024)
                    + (sample.open == 0 ? "" : ", \(TextFormat.bytes(Int(more / Double(sample.open)))) a stream")
            })
    }

    /// Returns one text for each equal part of the width: the text of the last sample before the middle of that part.
    private func readouts(_ text: (StreamSeries.Sample) -> String) -> [String] {
        let count = samples.count
        var index = 0
        return (0..<count).map { part in
            let time = outcome.seconds * (Double(part) + 0.5) / Double(count)
            while index + 1 < count, samples[index + 1].time <= time { index += 1 }
            return "\(TextFormat.seconds(samples[index].time)): \(text(samples[index]))"
        }
    }
}
