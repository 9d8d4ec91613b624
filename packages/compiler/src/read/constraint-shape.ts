import {
  type CapabilityConstraints,
  CONSTRAINT_LISTS,
  isDottedId,
  MAX_CONSTRAINT_ENTRIES,
  type PlanCapabilityConstraint,
} from '@millforge/contracts';
import {
  closed,
  idList,
  integer,
  type Reader,
  records,
  refuse,
  type TextRule,
  text,
} from '../document-readers.ts';

const CAPABILITY_ID: TextRule = {
  isRight: isDottedId,
  expected: 'a capability id, such as ticket.read',
};

/** Reads how far one capability goes. */
export const readConstraints: Reader<CapabilityConstraints> = (value, at) => {
  const constraints = readFields(value, at);
  return constraints === undefined || Object.keys(constraints).length > 0
    ? constraints
    : refuse(at, 'at least one of paths, hosts, commands, max_bytes');
};

const readFields = closed<CapabilityConstraints>(
  {
    paths: entries('paths'),
    hosts: entries('hosts'),
    commands: entries('commands'),
    max_bytes: integer(1, Number.MAX_SAFE_INTEGER),
  },
  { mayLack: ['paths', 'hosts', 'commands', 'max_bytes'] },
);

function entries(name: 'paths' | 'hosts' | 'commands'): Reader<readonly string[]> {
  const rule = CONSTRAINT_LISTS.find((list) => list.name === name);
  return idList(
    { isRight: (entry) => rule?.isRight(entry) === true, expected: rule?.expected ?? name },
    { min: 1, max: MAX_CONSTRAINT_ENTRIES },
  );
}

/** Reads how far capabilities go, each of them once. */
export const readCapabilityConstraints: Reader<readonly PlanCapabilityConstraint[]> = records(
  closed<PlanCapabilityConstraint>({
    capability_id: text(CAPABILITY_ID),
    constraints: readConstraints,
  }),
  (items, at) => {
    const ids = new Set(items.map((item) => item.capability_id));
    const isRight = items.length <= 64 && ids.size === items.length;
    if (!isRight) refuse(at, 'at most 64 capabilities, each of them once');
    return isRight;
  },
);
