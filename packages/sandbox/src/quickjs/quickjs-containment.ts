import { type Containment, containment, stopped } from '../containment.ts';

/** The table of the QuickJS tier; what carries the engine has walls of its own where bubblewrap works. */
export function quickJsContainment(walls: {
  readonly isWalled: boolean;
  readonly isFiltered: boolean;
}): Containment {
  const behind = walls.isWalled ? ', and bubblewrap behind it' : '';
  return containment('quickjs', {
    'read-host-files': stopped(`the engine has no files${behind}`),
    'write-host-files': stopped(`the engine has no files${behind}`),
    'read-environment': stopped('the engine has no environment'),
    'see-host-processes': stopped('the engine has no processes'),
    'use-network': stopped(`the engine has no network${behind}`),
    'exhaust-processes': stopped('the engine starts none'),
    'exhaust-memory': stopped('limit of the engine'),
    'exhaust-time': stopped('interrupted, then its process is killed'),
    'exhaust-output': stopped('interrupted at the output limit'),
    'exhaust-disk': stopped('the engine has no files'),
    'leave-orphans': stopped('the engine starts none'),
    'outlive-host': stopped('its process ends with the input from the host'),
    'forge-result': stopped('the code has no descriptor; the host of the engine writes the result'),
    'trace-others': stopped('the engine makes no system calls'),
    'reach-rare-system-calls': walls.isFiltered
      ? stopped('the engine makes none, and a system call filter is behind it')
      : stopped('the engine makes no system calls'),
  });
}
