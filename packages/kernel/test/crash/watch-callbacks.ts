import type { Adapter, TaskContext, VerifyContext } from '@millforge/kernel';

/** An adapter that tells of every callback of a task that is entered: its program, and each act, look before and look after. */
export function watchCallbacks(adapter: Adapter, onEntry: (taskId: string) => void): Adapter {
  const watched = <Context extends TaskContext>(context: Context): Context => {
    const { taskId } = context;
    onEntry(taskId);
    const noted = <Given extends readonly unknown[], Result>(
      callback: (...given: Given) => Result,
    ): ((...given: Given) => Result) => {
      return (...given) => {
        onEntry(taskId);
        return callback(...given);
      };
    };
    const perform: TaskContext['perform'] = (operation, act) => {
      const { before, reconcile } = operation;
      return context.perform(
        {
          ...operation,
          ...(before === undefined ? {} : { before: noted(before) }),
          ...(reconcile === undefined ? {} : { reconcile: noted(reconcile) }),
        },
        noted(act),
      );
    };
    return { ...context, perform };
  };
  return adapter.kind === 'verify'
    ? { ...adapter, run: (context: VerifyContext) => adapter.run(watched(context)) }
    : { ...adapter, run: (context: TaskContext) => adapter.run(watched(context)) };
}
