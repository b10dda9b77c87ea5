import FreshetCore
import FreshetHTTP

extension Observable where Element == ResponsePart {
    /// A request that a layer does not let through.
    static func refused(_ event: LayerEvent, _ error: any Error) -> Observable {
        Observable.just(.phase(.layer(event))).concat(Observable.error(error))
    }
}
