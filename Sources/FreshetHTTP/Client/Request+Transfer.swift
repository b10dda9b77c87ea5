extension Request {
    /// The same, with `transfer` where it does not say otherwise.
    func withTransfer(_ transfer: TransferOptions) -> Request {
        var request = self
        request.fill(transfer)
        return request
    }

    mutating func fill(_ transfer: TransferOptions) {
        if self.transfer == nil { self.transfer = transfer }
    }
}
