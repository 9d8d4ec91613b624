import { type Containment, containment, open, stopped } from '../containment.ts';

/** What a run behind bubblewrap was given. */
export interface BubblewrapFacts {
  readonly hasGroup: boolean;
  readonly isFiltered: boolean;
  readonly hasReadable: boolean;
  readonly hasWritable: boolean;
}

/** The table of the bubblewrap tier. */
export function bubblewrapContainment(facts: BubblewrapFacts): Containment {
  const { hasGroup, isFiltered, hasReadable, hasWritable } = facts;
  return containment('bubblewrap', {
    'read-host-files': stopped(
      hasReadable || hasWritable
        ? 'mount namespace: only the system and the bound paths are there'
        : 'mount namespace: only the system is there, read-only',
    ),
    'write-host-files': stopped(
      hasWritable
        ? 'mount namespace: all but the writable bound paths is read-only'
        : 'mount namespace: only private folders are writable',
    ),
    'read-environment': stopped('the environment is made anew'),
    'see-host-processes': stopped('process namespace'),
    'use-network': stopped('network namespace: only an own loopback'),
    'exhaust-processes': stopped(hasGroup ? 'control group' : 'limit of the user namespace'),
    'exhaust-memory': stopped(
      hasGroup
        ? 'control group, for the whole run'
        : 'limit of each process, and the sum is watched every 100 ms: no control group here',
    ),
    'exhaust-time': stopped('killed at the time limit'),
    'exhaust-output': stopped('killed at the output limit'),
    'exhaust-disk': hasWritable
      ? open('private folders are bounded as a whole, bound paths file by file')
      : stopped('private folders of bounded size'),
    'leave-orphans': stopped('process namespace: all end with the first'),
    'outlive-host': stopped('killed when the parent dies'),
    'forge-result': stopped('the exit status is told by bubblewrap on a descriptor of its own'),
    'trace-others': stopped(
      isFiltered ? 'process namespace and system call filter' : 'process namespace',
    ),
    'reach-rare-system-calls': isFiltered
      ? stopped('system call filter: tracing, keys, namespaces, mounts, modules, rare sockets')
      : open('no system call filter for this processor'),
  });
}
