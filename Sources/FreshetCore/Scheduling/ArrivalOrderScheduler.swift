/// A scheduler that runs one work item at a time, in the order in which they were scheduled, and to which an own work item
/// for each event is cheap enough. On such a scheduler `observe(on:)` schedules each event when it arrives, so that all
/// streams on it share one order.
package protocol ArrivalOrderScheduler: ImmediateSchedulerType {}
