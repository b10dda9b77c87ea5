public import Foundation
public import Freshet

/// What a report shows of a run in addition to its results.
public struct ReportedRun: Sendable {
    var name: String
    var request: Request
    var date: Date
    /// Whether the user stopped the run.
    var isInterrupted: Bool
    /// The runs that are shown beside this one.
    var earlier: [EarlierRun]
    /// The machine of the run.
    var machine: String

    public init(
        name: String, request: Request, date: Date, isInterrupted: Bool = false, earlier: [EarlierRun] = [],
        machine: String = Self.thisMachine
    ) {
        self.name = name
        self.request = request
        self.date = date
        self.isInterrupted = isInterrupted
        self.earlier = earlier
        self.machine = machine
    }

    public static var thisMachine: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(cores) core\(cores == 1 ? "" : "s")"
    }
}
