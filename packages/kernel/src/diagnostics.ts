import { defineDiagnostics } from '@millforge/contracts';

const phase = 'contract';

/** Every diagnostic of a goal's contract. */
export const found = defineDiagnostics('MF-K', {
  notAnObject: {
    code: 'MF-K001',
    name: 'not-an-object',
    phase,
    message: ({ expected }: { expected: string }) => `Expected ${expected} here.`,
  },
  unknownField: {
    code: 'MF-K002',
    name: 'unknown-field',
    phase,
    message: ({ field }: { field: string }) => `The field ${field} is not known here.`,
  },
  missingField: {
    code: 'MF-K003',
    name: 'missing-field',
    phase,
    message: ({ field }: { field: string }) => `The field ${field} is missing.`,
  },
  wrongValue: {
    code: 'MF-K004',
    name: 'wrong-value',
    phase,
    message: ({ expected }: { expected: string }) => `The value is wrong; expected ${expected}.`,
  },
  outOfRange: {
    code: 'MF-K005',
    name: 'out-of-range',
    phase,
    message: ({ low, high }: { low: number; high: number }) =>
      `The number is out of range; expected a whole number from ${low} to ${high}.`,
  },
  invalidId: {
    code: 'MF-K006',
    name: 'invalid-id',
    phase,
    message: () => 'The name is not allowed; expected 1 to 128 of a-z, 0-9 and . _ : -',
  },
  tooLarge: {
    code: 'MF-K007',
    name: 'too-large',
    phase,
    message: ({ limit }: { limit: string }) => `It is too large; at most ${limit} are allowed.`,
  },
  duplicateTask: {
    code: 'MF-K008',
    name: 'duplicate-task',
    phase,
    message: ({ task }: { task: string }) => `Two tasks are named ${task}.`,
  },
  unknownDependency: {
    code: 'MF-K009',
    name: 'unknown-dependency',
    phase,
    message: ({ task }: { task: string }) =>
      `The task depends on ${task}, which is not an earlier task.`,
  },
  unknownCheck: {
    code: 'MF-K010',
    name: 'unknown-check',
    phase,
    message: ({ check }: { check: string }) =>
      `The check ${check} is neither a verify task nor a built-in check.`,
  },
  missingCheck: {
    code: 'MF-K011',
    name: 'missing-check',
    phase,
    message: () => 'No check is required; name one, or say unchecked: true.',
  },
  missingTerminals: {
    code: 'MF-K012',
    name: 'missing-terminals',
    phase,
    message: () => 'The check terminal-outcome needs legal_terminal_results.',
  },
  unitsOverLimit: {
    code: 'MF-K013',
    name: 'units-over-limit',
    phase,
    message: ({ units, limit }: { units: number; limit: number }) =>
      `The tasks need ${units} units, the goal allows ${limit}.`,
  },
  checkWithoutVerify: {
    code: 'MF-K014',
    name: 'check-without-verify',
    phase,
    message: () => 'Only a task with a verify adapter decides a check.',
  },
  unknownCondition: {
    code: 'MF-K015',
    name: 'unknown-condition',
    phase,
    message: ({ task }: { task: string }) =>
      `The task waits for a verdict of ${task}, which is not an earlier verify task.`,
  },
});
