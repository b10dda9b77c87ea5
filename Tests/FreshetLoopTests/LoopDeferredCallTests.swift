import XCTest

@testable import FreshetLoop

final class LoopDeferredCallTests: LoopTestCase {
    func testACallScheduledManyTimesInATurnRunsOnceAtItsEnd() {
        let order: [String] = awaiting { done in
            loop.execute { [loop] in
                let order = Box<[String]>([])
                let end = Box<LoopDeferredCall>()
                end.value = LoopDeferredCall(on: loop!) {
                    order.update { $0.append("end") }
                    end.value?.close()
                    end.value = nil
                    loop!.execute { done(order.value!) }
                }
                for name in ["first", "second", "third"] {
                    order.update { $0.append(name) }
                    end.value!.schedule()
                }
                order.update { $0.append("else") }
            }
        }
        XCTAssertEqual(order, ["first", "second", "third", "else", "end"])
    }

    func testACallThatReschedulesItselfDoesNotBlockOtherWork() {
        let rounds: Int = awaiting { done in
            loop.execute { [loop] in
                let count = Box<Int>(0)
                let end = Box<LoopDeferredCall>()
                end.value = LoopDeferredCall(on: loop!) {
                    count.update { $0 += 1 }
                    end.value?.schedule()
                }
                end.value!.schedule()
                let timer = Box<LoopTimer>()
                timer.value = LoopTimer(on: loop!) {
                    // This call arrives through a socket that becomes ready, as all wake-ups do.
                    loop!.execute {
                        end.value!.close()
                        end.value = nil
                        timer.value!.close()
                        timer.value = nil
                        done(count.value!)
                    }
                }
                timer.value!.start(after: .milliseconds(5))
            }
        }
        XCTAssertGreaterThan(rounds, 0)
    }

    func testAClosedCallDoesNotRun() throws {
        let count = Box<Int>(0)
        onLoop { [loop] in
            let end = LoopDeferredCall(on: loop!) { count.update { $0 += 1 } }
            end.schedule()
            end.close()
            end.schedule()
        }
        onLoop {}
        onLoop {}
        XCTAssertEqual(count.value, 0)
    }
}
