import CFreshetCurl
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// A test of the state machine of a transfer. Its actions are described as text.
class TransferStateMachineTestCase: XCTestCase {
    typealias Machine = TransferStateMachine

    let now = Instant(sinceStart: .seconds(1))

    func launched(
        _ method: HTTPRequest.Method = .get, url: String = "http://example.com/", body: RequestBody = .empty,
        options: TransferOptions = TransferOptions()
    ) throws -> Machine {
        var machine = Machine(try Request(method, url, body: body), options)
        for input in [Machine.Input.queued, .admitted] { XCTAssertEqual(described(machine.apply(input)), []) }
        XCTAssertEqual(described(machine.apply(.launched(at: now))), ["announce", "admitted"])
        return machine
    }

    func goOut(_ machine: inout Machine, protocol: String? = nil) -> [String] {
        described(
            machine.apply(
                .requestSent(
                    Machine.Outgoing(
                        time: 1000, localPort: 9, errorNumber: 0, address: "192.0.2.1:80",
                        applicationProtocol: `protocol`, staleResponseCheck: nil))))
    }

    func expiry(_ machine: inout Machine, at seconds: Int) -> Machine.Expiry? {
        let now = Instant(sinceStart: .seconds(seconds))
        let progress = Machine.Progress(
            now: now, uploaded: nil, latestLine: 0, isPauseWanted: false, isConnected: false)
        _ = machine.apply(.progressed(progress))
        return machine.expiry(progress)
    }

    func lines(_ machine: inout Machine, _ lines: String...) -> [String] {
        lines.flatMap { line in withBytes(line + "\r\n") { described(machine.apply(.lines($0, callbackTime))) } }
    }

    func body(_ machine: inout Machine, _ text: String, in call: Int = 1) -> [String] {
        withBytes(text) { described(machine.apply(.body($0, Machine.CallbackTime(time: 1000, call: call)))) }
    }

    func wire(_ machine: inout Machine, _ text: String) -> [String] {
        withBytes(text) { described(machine.apply(.wire($0, callbackTime))) }
    }

    func complete(_ machine: inout Machine, _ code: CURLcode, pendingResponse: [UInt8] = []) -> [String] {
        described(
            machine.apply(
                .completed(
                    Machine.Completion(
                        code: code, isDisposed: false, lacksDescriptors: false, pendingResponse: pendingResponse,
                        isCutOff: false, isBesideRefused: false))))
    }

    private var callbackTime: Machine.CallbackTime { Machine.CallbackTime(time: 1000, call: 1) }

    private func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(text.utf8).withUnsafeBytes(body)
    }

    func described(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .announceRequest: "announce"
            case .deliver(let part): described(part)
            case .reportSent: "sent"
            case .stop: "stop"
            case .defer(.deliverPieces): "wait"
            case .conclude(.launch): "launch"
            case .conclude(.sendAgain): "send again"
            case .conclude(.waitForDescriptors): "wait for descriptors"
            case .conclude(.explainFailure(let code)): "explain \(code.rawValue)"
            case .conclude(.leave(let keepsHandle, let failure)):
                "leave, keeps handle: \(keepsHandle)" + ((failure as? HTTPClientError).map { ", \($0.code)" } ?? "")
            case .end(let failure): failure == nil ? "end" : "fail"
            default: "\(action)"
            }
        }
    }

    private func described(_ part: ResponsePart) -> String {
        switch part {
        case .phase(.admitted): "admitted"
        case .phase(.connected(let address, let reused)): "connected to \(address), reused: \(reused)"
        case .phase(let phase): "\(phase)"
        case .sent(let count, _): "sent \(count)"
        case .informational(let head): "informational \(head.status.code)"
        case .head(let head): "head \(head.status.code)"
        case .body(let bytes): "body \(String(decoding: bytes, as: UTF8.self))"
        case .trailers(let fields): "trailers \(fields.map(\.name.rawName).joined(separator: " "))"
        }
    }
}
