public import Foundation
import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetCurl
import FreshetEvents
import FreshetHTTP
import FreshetLoop

// With these, `localizedDescription` is the description of the error, instead of "The operation could not be completed".

extension HTTPClientError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension RxError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension CompositeError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension OverflowError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension CurlError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension RefreshRefusal: @retroactive LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension StoreError: @retroactive LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension FileError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension CryptoError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension LoopError: LocalizedError {
    public var errorDescription: String? { "\(self)" }
}

extension EventFailure: @retroactive LocalizedError {
    public var errorDescription: String? { "\(self)" }
}
