import FreshetCore
import FreshetHTTP

extension Observable where Element == ResponsePart {
    /// The stream of a request that a layer refuses.
    static func refused(_ event: LayerEvent, _ error: any Error) -> Observable {
        Observable.just(.phase(.layer(event))).concat(Observable.error(error))
    }
}
