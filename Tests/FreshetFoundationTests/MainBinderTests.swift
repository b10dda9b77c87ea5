import Dispatch
import Foundation
import FreshetCore
import FreshetFoundation
import XCTest

final class MainBinderTests: XCTestCase {
    private final class Player: NSObject, @unchecked Sendable {
        var volume = 0
        var title: String? = ""
    }

    func testABinderOfAPropertyRunsOnTheMainThread() {
        let player = Player()
        player.rx.volume.onNext(7)
        XCTAssertEqual(player.volume, 7)
        let set = expectation(description: "set")
        let title = Binder<String?>(player) { player, title in
            XCTAssertTrue(Thread.isMainThread)
            player.title = title
            set.fulfill()
        }
        DispatchQueue.global().async { title.onNext("Freshet") }
        wait(for: [set], timeout: 30)
        XCTAssertEqual(player.title, "Freshet")
    }

    func testABinderBehindTheMainSchedulerWritesAtOnce() {
        let player = Player()
        let volume = BehaviorRelay(value: 1)
        let binding = volume.observe(on: MainScheduler.instance).bind(to: player.rx.volume)
        XCTAssertEqual(player.volume, 1)
        volume.accept(2)
        XCTAssertEqual(player.volume, 2)
        binding.dispose()
    }

    func testAReactiveExtensionExtendsAnObjectType() {
        XCTAssertEqual(Player().rx.loudness, "0")
        XCTAssertEqual(Player.rx.kind, "Player")
    }
}

extension Reactive where Base: NSObject {
    fileprivate var loudness: String { "0" }
    fileprivate static var kind: String { "\(Base.self)" }
}
