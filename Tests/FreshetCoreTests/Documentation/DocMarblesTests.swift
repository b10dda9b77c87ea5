import FreshetCore
import FreshetTesting
import XCTest

/// Tests that each marble diagram in the documentation shows what its operator does.
final class DocMarblesTests: CoreTestCase {
    func testEveryMarbleOfTheDocumentationMatchesTheOperator() throws {
        var missing: [String] = []
        for picture in try DocMarbles.all() {
            for result in picture.results {
                guard let call = TimedCalls.all[result.call] else {
                    missing.append("\(picture.path): `\(result.call)` needs an entry in \(TimedCalls.path)")
                    continue
                }
                let stage = try Stage(for: picture, showing: result)
                XCTAssertEqual(stage.run(call), result.line, "\(picture.path): \(result.call)")
            }
        }
        XCTAssertEqual(missing, [], missing.joined(separator: "\n"))
    }

    func testEveryTimedCallAppearsInTheDocumentation() throws {
        let drawn = Set(try DocMarbles.all().flatMap(\.results).map(\.call))
        XCTAssertEqual(TimedCalls.all.keys.filter { !drawn.contains($0) }.sorted(), [])
    }

    func testEveryOperatorOfTimeHasMarbles() throws {
        let timed = try OperatorInventory.operators().filter(\.isTimed)
        XCTAssertTrue(timed.contains { $0.name == "delay(_:scheduler:)" })
        for one in timed {
            let lines = one.doc.map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : "" }
            let calls = try DocMarbles.blocks(of: lines, in: one.name).flatMap(\.results).map(\.call)
            let base = one.name.prefix { $0 != "(" } + "("
            XCTAssertTrue(
                calls.contains { $0.hasPrefix(base) }, "\(one.name) in \(one.folder) needs marbles in its doc comment")
        }
    }

    func testAWrongMarbleIsDetected() throws {
        let lines = ["source:   -a--b-----|", "delay(3): ---a---b-----|"]
        let picture = try XCTUnwrap(try DocMarbles.blocks(of: lines, in: "here").first)
        let call = try XCTUnwrap(TimedCalls.all["delay(3)"])
        XCTAssertEqual(try Stage(for: picture, showing: picture.results[0]).run(call), "----a--b-----|")
    }
}

/// Runs one diagram on virtual time. The subscription is at 200, which is the diagram's first column.
struct Stage {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let sources: [String: Observable<String>]
    private let result: DocMarbles.Result
    private let width: Int
    let start = 200

    init(for picture: DocMarbles, showing result: DocMarbles.Result) throws {
        var sources: [String: Observable<String>] = [:]
        for source in picture.sources {
            sources[source.name] =
                source.isCold
                ? scheduler.createColdObservable(Marble.events(source.line)).asObservable()
                : scheduler.createHotObservable(Marble.events(source.line, from: start)).asObservable()
        }
        self.sources = sources
        self.result = result
        width = try MarbleLine(reading: result.line).width
    }

    var source: Observable<String> { self["source"] }

    subscript(_ name: String) -> Observable<String> {
        guard let source = sources[name] else { preconditionFailure("\(result.call): there is no line \(name)") }
        return source
    }

    /// The line of the events that `call` emits, as wide as the line in the diagram.
    func run(_ call: TimedCalls.Call) -> String {
        let stream = call(self)
        // The line shows the events that are due in the last column, but none that the end of the subscription causes.
        let shown = scheduler.start(created: start, subscribed: start, disposed: start + 1000) { stream }
        let marks = shown.events.filter { $0.time < start + width }.map { event in
            MarbleLine.Mark(event.time - start, MarbleLine.Sign(event.value.map { letter(for: $0.text) }))
        }
        return MarbleLine(marks, width: width).text
    }

    private func letter(for text: String) -> String { result.legend[text] ?? text }
}

/// The text of an element. The text of an inner stream is known only at the end.
struct Shown {
    private let show: () -> String

    var text: String { show() }

    init(_ text: String) {
        show = { text }
    }

    /// Records the events of `stream` from now on.
    init(_ stream: Observable<String>, on scheduler: TestScheduler) {
        let observer = scheduler.createObserver(String.self)
        let start = scheduler.clock
        _ = stream.subscribe(observer)
        show = { observer.events.marble(from: start) }
    }
}
