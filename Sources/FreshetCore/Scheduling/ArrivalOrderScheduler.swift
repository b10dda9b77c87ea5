/// A scheduler that runs one work item at a time, in the order in which they were scheduled. `observe(on:)` schedules a work item
/// for each event when it arrives, so that all streams on the scheduler share one order. A scheduler on which a work item costs
/// more than many elements does not conform.
package protocol ArrivalOrderScheduler: ImmediateSchedulerType {}
