import Freshet

/// The events of one request, as a row of the picture.
struct RequestTrack {
    let number: Int
    private let steps: [FloodLog.Step]

    init(_ number: Int, _ steps: [FloodLog.Step]) {
        self.number = number
        self.steps = steps
    }

    /// Whether the request caused a refresh.
    var refreshes: Bool { steps.contains(where: \.isCause) }

    /// When the request was first sent.
    var start: Duration { steps.first { $0.what == .sent }?.at ?? end }
    var end: Duration { steps.last?.at ?? .zero }
    var replays: Int { steps.count { $0.what == .replayed } }

    func row(_ scale: TimeScale) -> StyledText {
        var cells = Cells(scale.width)
        var marks: [(Int, Character, Style)] = []
        var (last, character, style) = (0, Character("·"), Style?.some(.dim))
        for step in steps {
            let column = scale.column(of: step.at)
            if column > last || step.what == .sent { cells.fill(last...column, character, style) }
            last = column
            switch step.what {
            case .asked: (character, style) = ("░", .yellow)
            case .sent, .replayed: (character, style) = ("━", nil)
            case .refused:
                marks.append((column, "✗", .red))
                (character, style) = step.isCause ? ("↻", .bold) : ("░", .yellow)
            case .answered: marks.append((column, "✓", .green))
            case .lost: marks.append((column, "?", .red))
            }
        }
        for (column, character, style) in marks { cells.mark(column, character, style) }
        return cells.text
    }

    /// A sample of all requests, in the order in which they were sent: those that caused a refresh, and others spread evenly
    /// over the rest.
    static func sample(_ count: Int, of log: FloodLog) -> [RequestTrack] {
        let all = log.requests.map { RequestTrack($0, $1) }
            .sorted { ($0.start, $0.end, $0.number) < ($1.start, $1.end, $1.number) }
        let others = all.filter { !$0.refreshes }
        let wanted = min(others.count, max(0, count - (all.count - others.count)))
        let chosen = (0..<wanted).map { others[wanted == 1 ? 0 : $0 * (others.count - 1) / (wanted - 1)].number }
        return all.filter { $0.refreshes || chosen.contains($0.number) }
    }
}
