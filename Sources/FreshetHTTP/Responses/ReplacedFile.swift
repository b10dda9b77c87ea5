import Glibc

extension stat {
    /// Gives the file behind `descriptor`, which is to replace this one, the same owner, group and mode, as far as the process
    /// may. With another owner or group it loses the set-user-ID and set-group-ID bits, which would give the rights of the wrong
    /// user.
    func preserve(on descriptor: Int32) {
        var new = Self()
        guard fstat(descriptor, &new) == 0 else { return }
        // A file that another user has made stays that user's, who may have it open.
        if new.st_uid == geteuid(), fchown(descriptor, st_uid, st_gid) != 0 {
            // A user who is not root can still choose among their groups.
            fchown(descriptor, .max, st_gid)
        }
        guard fstat(descriptor, &new) == 0 else { return }
        let isSame = new.st_uid == st_uid && new.st_gid == st_gid
        // Last, because a new owner removes the bits.
        fchmod(descriptor, st_mode & (isSame ? 0o7777 : 0o1777))
    }
}
