/// libcurl 8.5 reads on from the connection of a paused transfer, keeps 64 MiB of the body, and then fails.
///
/// - Affected: 8.5.0, which Ubuntu 24.04 has. 7.88.1, and 8.12.1 and later, stop asking for the socket. The versions between
///   8.1 and 8.12 were not tried, and this does no harm to those that stop.
/// - Done: the loop does not watch a socket for reading while its only transfer is paused.
/// - Checked: the version, once.
/// - Without it: a body that is read more slowly than it comes fails with `too_large` after 64 MiB.
/// - Upstream: fixed between 8.5.0 and 8.12.1.
/// - Delete it when 8.12 is the oldest libcurl that is supported.
enum PausedSockets {
    static let isActive = !Quirks.areOff && (0x08_01_00..<0x08_0C_00).contains(CurlVersion.number)

    /// Whether the socket of a transfer must not be read. A connection with several streams is read on: its streams have
    /// windows of their own.
    static func mustRest(_ transfer: CurlTransfer?) -> Bool {
        guard isActive, let transfer else { return false }
        return transfer.state.isHeld && !transfer.state.connection.isMultiplexed
    }
}

extension CurlMulti {
    /// Stops or begins again to read the connection of a transfer that was paused or resumed.
    func pauseChanged(of transfer: CurlTransfer?) {
        guard PausedSockets.isActive, let transfer else { return }
        for socket in state.descriptors.sockets where socket.transfer === transfer { socket.watchAgain() }
    }
}
