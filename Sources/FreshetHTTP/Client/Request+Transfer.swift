extension Request {
    /// The same, with `transfer` where it does not say otherwise.
    func withTransfer(_ transfer: TransferOptions) -> Request {
        guard self.transfer == nil else { return self }
        var request = self
        request.transfer = transfer
        return request
    }
}
