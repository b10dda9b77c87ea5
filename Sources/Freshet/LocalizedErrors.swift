public import Foundation
import FreshetAuth
import FreshetCore
import FreshetCrypto
import FreshetCurl
import FreshetEvents
import FreshetHTTP
import FreshetLoop

/// An error whose `localizedDescription` is its description, instead of "The operation could not be completed".
protocol DescribedError: LocalizedError {}

extension DescribedError {
    public var errorDescription: String? { "\(self)" }
}

extension HTTPClientError: DescribedError {}
extension RxError: DescribedError {}
extension CompositeError: DescribedError {}
extension OverflowError: DescribedError {}
extension CurlError: DescribedError {}
extension RefreshRefusal: @retroactive LocalizedError, DescribedError {}
extension StoreError: @retroactive LocalizedError, DescribedError {}
extension FileError: DescribedError {}
extension CryptoError: DescribedError {}
extension LoopError: DescribedError {}
extension EventFailure: @retroactive LocalizedError, DescribedError {}
