/// A scheduler on which it shows how much is done in one piece of work: in virtual time each piece has a time of its own,
/// on the current thread pieces take turns. Operators that could deliver a batch at once deliver one event a piece there,
/// and those with a moving deadline set their alarm anew for each element, so that it has the place of that element.
package protocol SteppingScheduler: ImmediateSchedulerType {}

extension CurrentThreadScheduler: SteppingScheduler {}
extension VirtualTimeScheduler: SteppingScheduler {}
