/// A scheduler on which the amount of work in one work item is visible: in virtual time each work item has a time of
/// its own, and on the current thread work items take turns. On such a scheduler, operators that could deliver a batch
/// deliver one event per work item. Operators with a moving deadline schedule their timer again for each element, so
/// that the timer has the position of that element in the order of work.
package protocol SteppingScheduler: ImmediateSchedulerType {}

extension CurrentThreadScheduler: SteppingScheduler {}
extension VirtualTimeScheduler: SteppingScheduler {}
